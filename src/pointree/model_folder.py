"""A model on disk: a folder of safetensors weights, TOML settings, JSON vocabularies and a card. Nothing is pickled.

pointree.json         format version, version of pointree, checksums of settings, vocabularies and encoder
config.toml           every choice that made the model
words.json …          vocabularies
weights.safetensors   parameters, 32 bits or fewer, with their checksum
README.md             the model card
text.udpipe           optional: tokeniser and tagger for raw text
encoder.json          with contextual embeddings: the name, size and checksum of their encoder
encoder/              optional: that encoder; of one that was trained, the shape and the tokeniser
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from pointree.config import Config, load_config
from pointree.errors import ConfigError, InputError, ModelError, OutputError
from pointree.files import atomic_write
from pointree.nn.contextual import (
    ContextualEncoder,
    ContextualSource,
    EncoderIdentity,
    FrozenFeatures,
    TrainedFeatures,
    bundle_encoder,
    load_encoder,
    new_encoder,
    read_identity,
    save_architecture,
    write_identity,
)
from pointree.nn.model import PointerNetwork
from pointree.quantisation import dequantise
from pointree.treebank.vocabulary import Vocabularies
from pointree.version import __version__

__all__ = [
    "CARD",
    "ENCODER",
    "FORMAT",
    "IDENTITY",
    "TEXT_MODEL",
    "load_contextual",
    "load_folder",
    "new_network",
    "replace_config",
    "save_contextual",
    "save_folder",
    "write_card",
    "write_manifest",
    "write_weights",
]

FORMAT = 1
MANIFEST, CONFIG, WEIGHTS, CARD, TEXT_MODEL = (
    "pointree.json",
    "config.toml",
    "weights.safetensors",
    "README.md",
    "text.udpipe",
)
IDENTITY, ENCODER = "encoder.json", "encoder"
_CHECKED = (CONFIG, "words.json", "chars.json", "tags.json", "deprels.json")
"""Files that could be damaged without looking so."""


def new_network(
    config: Config, vocabularies: Vocabularies, contextual: EncoderIdentity | None = None
) -> PointerNetwork:
    """A network of the right sizes, with fresh weights; contextual embeddings need to know their encoder."""
    return PointerNetwork(
        config,
        n_words=len(vocabularies.words),
        n_chars=len(vocabularies.chars),
        n_tags=len(vocabularies.tags),
        n_labels=len(vocabularies.deprels),
        contextual=contextual,
    )


def save_folder(
    folder: Path, config: Config, vocabularies: Vocabularies, weights: Mapping[str, Tensor], card: str
) -> None:
    """Write a model; each file is replaced as a whole."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    with atomic_write(folder / CONFIG) as stream:
        stream.write(config.to_toml())
    vocabularies.save(folder)
    write_card(folder, card)
    write_weights(folder, weights)
    write_manifest(folder)


def write_manifest(folder: Path) -> None:
    """Write what a model folder is, and the checksums of its files; again whenever one of them has changed."""
    _write_checksums(folder, {name: _checksum(folder / name) for name in _checked(folder)})


def _write_checksums(folder: Path, checksums: Mapping[str, str]) -> None:
    with atomic_write(folder / MANIFEST) as stream:
        json.dump({"format": FORMAT, "pointree": __version__, "sha256": checksums}, stream, indent=2)
        stream.write("\n")


def replace_config(folder: Path, config: Config) -> None:
    """Give a model other settings of the same network; the model can be read at every moment."""
    text, checksums = config.to_toml(), _read_manifest(folder / MANIFEST)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    if checksums.get(CONFIG) == checksum:
        return
    _write_checksums(folder, {**checksums, CONFIG: ""})  # unknown: both files will do
    with atomic_write(folder / CONFIG) as stream:
        stream.write(text)
    _write_checksums(folder, {**checksums, CONFIG: checksum})


def write_card(folder: Path, card: str) -> None:
    """Replace the model card."""
    with atomic_write(folder / CARD) as stream:
        stream.write(card)


def write_weights(folder: Path, weights: Mapping[str, Tensor]) -> None:
    """Replace the weights of a model folder."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    with atomic_write(folder / WEIGHTS, "b") as stream:
        stream.write(save_tensors(tensors, metadata={"sha256": _digest(tensors)}))


def _digest(tensors: Mapping[str, Tensor]) -> str:
    """A checksum of all values, tensor by tensor in the order of their names."""
    digest = hashlib.sha256()
    for _name, tensor in sorted(tensors.items()):
        digest.update(tensor.flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _checked(folder: Path) -> list[str]:
    encoder = sorted(path.relative_to(folder).as_posix() for path in folder.glob(f"{ENCODER}/*.json"))
    return [*_CHECKED, *([IDENTITY] if (folder / IDENTITY).is_file() else []), *encoder]


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load_folder(folder: Path) -> tuple[Config, Vocabularies, PointerNetwork]:
    """Read a model in 32 bits; whatever is missing, damaged or of another version is a `ModelError`."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    checksums = _read_manifest(folder / MANIFEST)
    try:
        config = load_config(folder / CONFIG)
    except (ConfigError, InputError) as error:
        raise ModelError(f"{folder}: damaged settings: {error}") from error
    vocabularies = Vocabularies.load(folder)
    for name in _checked(folder):
        if checksums.get(name, "") not in ("", _checksum(folder / name)):
            raise ModelError(f"{folder / name}: damaged: the content differs from its checksum in {MANIFEST}")
    weights = dequantise(_read_weights(folder / WEIGHTS))
    contextual = config.embeddings.contextual
    identity = read_identity(folder / IDENTITY) if contextual.model else None
    with torch.device("meta"):  # no time is spent on weights that are about to be replaced
        network = new_network(config, vocabularies, identity)
    if network.embeddings.contextual is not None and identity is not None and contextual.fine_tune:
        network.embeddings.contextual.encoder = new_encoder(folder / ENCODER, contextual, identity)
    faults = _mismatches(network, weights)
    if faults:
        raise ModelError(f"{folder / WEIGHTS}: the weights do not fit the settings: {'; '.join(faults[:3])}")
    network.load_state_dict(weights, assign=True)
    network.embeddings.set_singletons(vocabularies.words.singletons)
    return config, vocabularies, network.eval().requires_grad_(False)


def save_contextual(folder: Path, config: Config, encoder: ContextualEncoder, *, bundle: bool) -> None:
    """Write which encoder a model needs, and what the model must carry of it: of a trained one, all but the weights."""
    write_identity(folder / IDENTITY, encoder.identity)
    if config.embeddings.contextual.fine_tune:
        save_architecture(encoder, folder / ENCODER)
    elif bundle:
        bundle_encoder(encoder, folder / ENCODER)
    write_manifest(folder)


def load_contextual(
    folder: Path, config: Config, network: PointerNetwork, device: torch.device, dtype: torch.dtype
) -> ContextualSource | None:
    """The encoder of a model: its own, the one that it carries, or the one of the name and checksum that it knows."""
    if network.embeddings.contextual is None:
        return None
    if network.embeddings.contextual.encoder is not None:
        return TrainedFeatures(network.embeddings.contextual.encoder)
    carried = folder / ENCODER if (folder / ENCODER).is_dir() else None
    expected = read_identity(folder / IDENTITY)
    try:
        encoder = load_encoder(config.embeddings.contextual, place=carried, expected=expected)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
    return FrozenFeatures(encoder.to(device=device, dtype=dtype))


def _read_manifest(path: Path) -> dict[str, str]:
    """The checksums of a model of our format; a folder from before there were any has none."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path.parent}: not a model folder, {path.name} is missing") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        made = manifest.get("pointree", "?") if isinstance(manifest, dict) else "?"
        raise ModelError(
            f"{path}: expected format {FORMAT}, found {found} (made by pointree {made}; this is {__version__})"
        )
    checksums = manifest.get("sha256", {})
    if not isinstance(checksums, dict):
        raise ModelError(f'{path}: expected checksums by file under "sha256", found {checksums!r}')
    return checksums


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{path}: missing from the model folder") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        tensors = load_tensors(data)
    except SafetensorError as error:
        raise ModelError(f"{path}: expected safetensors, found a damaged file ({error})") from None
    header_size = int.from_bytes(data[:8], "little")
    recorded = json.loads(data[8 : 8 + header_size]).get("__metadata__", {}).get("sha256")
    if recorded != _digest(tensors):
        raise ModelError(f"{path}: damaged: the values differ from their checksum")
    return tensors


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
