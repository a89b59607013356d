"""Model folders and the torch network: reading one into a network, and writing what a network holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pointree.config import Config
from pointree.errors import ModelError
from pointree.models.folder import read_folder, write_manifest
from pointree.models.layout import PRETRAINED, PRETRAINED_IDENTITY, WEIGHTS
from pointree.models.quantise import dequantise
from pointree.nn.model import PointerNetwork
from pointree.nn.pretrained_features import FrozenFeatures, PretrainedFeatures, TrainedFeatures
from pointree.nn.segmenter import SegmenterNetwork
from pointree.pretrained.identity import PretrainedIdentity, read_identity, write_identity
from pointree.pretrained.loading import bundle_pretrained, load_pretrained, new_pretrained, save_architecture
from pointree.pretrained.model import PretrainedModel
from pointree.vocabulary import Vocabularies

__all__ = ["as_arrays", "load_features", "load_folder", "new_network", "save_pretrained"]


def new_network(
    config: Config, vocabularies: Vocabularies, pretrained: PretrainedIdentity | None = None
) -> PointerNetwork:
    """A network of the right sizes, with fresh weights; pretrained embeddings need the identity of their model."""
    return PointerNetwork(
        config,
        n_words=len(vocabularies.words),
        n_chars=len(vocabularies.chars),
        n_tags=len(vocabularies.tags),
        n_labels=len(vocabularies.deprels),
        n_classes=vocabularies.columns.sizes,
        pretrained=pretrained,
    )


def load_folder(folder: Path) -> tuple[Config, Vocabularies, PointerNetwork]:
    """Read a model in 32 bits; whatever is missing, damaged or of another version is a `ModelError`."""
    model = read_folder(folder)
    config, vocabularies, identity = model.config, model.vocabularies, model.identity
    try:
        weights = {name: torch.from_numpy(_writable(array)) for name, array in dequantise(model.weights).items()}
        with torch.device("meta"):  # no time is spent on weights that are about to be replaced
            network = new_network(config, vocabularies, identity)
            if model.segmenter is not None:
                network.segmenter = SegmenterNetwork(config.segmenter, model.segmenter)
    except (RuntimeError, TypeError, OverflowError, ValueError) as error:
        raise ModelError(f"{folder}: the weights do not fit the settings: {str(error).splitlines()[0]:.200}") from None
    pretrained = config.embeddings.pretrained
    if network.embeddings.pretrained is not None and identity is not None and pretrained.fine_tune:
        network.embeddings.pretrained.model = new_pretrained(folder / PRETRAINED, pretrained, identity)
    faults = _mismatches(network, weights)
    if faults:
        raise ModelError(f"{folder / WEIGHTS}: the weights do not fit the settings: {'; '.join(faults[:3])}")
    network.load_state_dict(weights, assign=True)
    network.embeddings.set_singletons(vocabularies.words.singletons)
    return config, vocabularies, network.eval().requires_grad_(False)


def _writable(array: np.ndarray) -> np.ndarray:
    """The array, or a copy of one that is mapped from a file: torch may write to its tensors."""
    return array if array.flags.writeable else array.copy()


def _mismatches(network: PointerNetwork, weights: Mapping[str, Tensor]) -> list[str]:
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    faults = [f"{name} is missing" for name in expected if name not in found]
    faults += [f"{name} is unknown" for name in found if name not in expected]
    faults += [
        f"{name} has shape {found[name]}, expected {shape}"
        for name, shape in expected.items()
        if name in found and found[name] != shape
    ]
    return faults


def as_arrays(weights: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
    """Tensors as the arrays that `save_folder` writes, 32 bits where numpy has no type for fewer."""
    found = {}
    for name, tensor in weights.items():
        own = tensor.detach().cpu()
        found[name] = (own.float() if own.dtype == torch.bfloat16 else own).numpy()
    return found


def save_pretrained(folder: Path, config: Config, pretrained: PretrainedModel, *, bundle: bool) -> None:
    """Write the identity of a parser's pretrained model; with ``bundle``, the model as well.

    Of a fine-tuned one, configuration and tokeniser are written: its weights are among those of the parser.
    """
    write_identity(folder / PRETRAINED_IDENTITY, pretrained.identity)
    if config.embeddings.pretrained.fine_tune:
        save_architecture(pretrained, folder / PRETRAINED)
    elif bundle:
        bundle_pretrained(pretrained, folder / PRETRAINED)
    write_manifest(folder)


def load_features(
    folder: Path, config: Config, network: PointerNetwork, device: torch.device, dtype: torch.dtype
) -> PretrainedFeatures | None:
    """The pretrained model of a parser: fine-tuned, bundled, or found by its name and checked by its checksum."""
    if network.embeddings.pretrained is None:
        return None
    if network.embeddings.pretrained.model is not None:
        return TrainedFeatures(network.embeddings.pretrained.model)
    bundled = folder / PRETRAINED if (folder / PRETRAINED).is_dir() else None
    expected = read_identity(folder / PRETRAINED_IDENTITY)
    try:
        pretrained = load_pretrained(config.embeddings.pretrained, place=bundled, expected=expected)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
    return FrozenFeatures(pretrained.to(device=device, dtype=dtype))
