"""Reading and writing model folders: safetensors weights, TOML settings, JSON vocabularies and a card; no pickle.

`pointree.models.layout` names the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from pointree.config import Config, load_config
from pointree.errors import ConfigError, InputError, ModelError, OutputError
from pointree.files import atomic_write, read_bounded
from pointree.models.layout import (
    CARD,
    CONFIG,
    FORMAT,
    HEADS,
    LANGUAGE,
    MANIFEST,
    PRETRAINED,
    PRETRAINED_IDENTITY,
    TEXT_MODEL,
    VOCABULARIES,
    WEIGHTS,
)
from pointree.models.quantise import dequantise
from pointree.nn.model import PointerNetwork
from pointree.nn.pretrained_features import FrozenFeatures, PretrainedFeatures, TrainedFeatures
from pointree.pretrained import (
    PretrainedIdentity,
    PretrainedModel,
    bundle_pretrained,
    load_pretrained,
    new_pretrained,
    read_identity,
    save_architecture,
    write_identity,
)
from pointree.version import __version__
from pointree.vocabulary import ColumnClasses, LabelVocabulary, Vocabularies, Vocabulary

__all__ = [
    "load_features",
    "load_folder",
    "new_network",
    "replace_config",
    "save_folder",
    "save_pretrained",
    "upgrade_names",
    "write_card",
    "write_manifest",
    "write_weights",
]

_OLD_TAGGER = "heads.upos.projection.bias"
_RENAMED_WEIGHTS = {
    "embeddings.contextual.encoder.": "embeddings.pretrained.model.",
    "embeddings.contextual.": "embeddings.pretrained.",
    "tagger.projection.": "heads.upos.projection.",
}
"""Parts of the names that weights had in earlier versions, and their names now."""

_CHECKED = (CONFIG, *VOCABULARIES.values())
"""Files of every model that could be damaged without looking so; weights have a checksum of their own."""

_MAX_BYTES = 1 << 34
_MAX_MANIFEST = 1 << 20
_MAX_HEADER = 100_000_000
"""Bytes of any file of a model, of its manifest, and of the header of safetensors, as these define it."""

_MAX_SIZE = 1 << 20
"""More than the size of any layer."""


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
    for name, file in VOCABULARIES.items():
        getattr(vocabularies, name).save(folder / file)
    if vocabularies.columns:
        vocabularies.columns.save(folder / HEADS)
    write_card(folder, card)
    write_weights(folder, weights)
    write_manifest(folder)


def write_manifest(folder: Path) -> None:
    """Write the manifest: format, version and checksums. Call it again whenever a file has changed."""
    _write_checksums(folder, {name: _checksum(folder / name) for name in _checked(folder)})


def _write_checksums(folder: Path, checksums: Mapping[str, str]) -> None:
    with atomic_write(folder / MANIFEST) as stream:
        json.dump({"format": FORMAT, "pointree": __version__, "sha256": checksums}, stream, indent=2)
        stream.write("\n")


def replace_config(folder: Path, config: Config) -> None:
    """Replace the settings of a model, whose network stays the same; the model stays readable throughout."""
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
    pretrained = sorted(path.relative_to(folder).as_posix() for path in folder.glob(f"{PRETRAINED}/*.json"))
    optional = [name for name in (HEADS, LANGUAGE, PRETRAINED_IDENTITY, TEXT_MODEL) if (folder / name).is_file()]
    return [*_CHECKED, *optional, *pretrained]


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(read_bounded(path, _MAX_BYTES)).hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None


def load_folder(folder: Path) -> tuple[Config, Vocabularies, PointerNetwork]:
    """Read a model in 32 bits; whatever is missing, damaged or of another version is a `ModelError`."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    checksums = _read_manifest(folder / MANIFEST)
    try:
        config = load_config(folder / CONFIG, allow_removed=True)
    except (ConfigError, InputError) as error:
        raise ModelError(f"{folder}: damaged settings: {error}") from error
    files = {name: folder / file for name, file in VOCABULARIES.items()}
    if (folder / HEADS).exists():
        files["columns"] = folder / HEADS
    vocabularies = Vocabularies.load(files)
    for name in _checked(folder):
        if checksums.get(name, "") not in ("", _checksum(folder / name)):
            raise ModelError(f"{folder / name}: damaged: the content differs from its checksum in {MANIFEST}")
    tensors = upgrade_names(_read_weights(folder / WEIGHTS))
    if not vocabularies.columns and any(name.startswith("heads.") for name in tensors):
        vocabularies = replace(vocabularies, columns=_old_columns(vocabularies.tags))
    _check_sizes(folder, config, len(tensors))
    pretrained = config.embeddings.pretrained
    identity = read_identity(folder / PRETRAINED_IDENTITY) if pretrained.model else None
    try:
        weights = dequantise(tensors)
        with torch.device("meta"):  # no time is spent on weights that are about to be replaced
            network = new_network(config, vocabularies, identity)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ModelError(f"{folder}: the weights do not fit the settings: {str(error).splitlines()[0]:.200}") from None
    if network.embeddings.pretrained is not None and identity is not None and pretrained.fine_tune:
        network.embeddings.pretrained.model = new_pretrained(folder / PRETRAINED, pretrained, identity)
    faults = _mismatches(network, weights)
    if faults:
        raise ModelError(f"{folder / WEIGHTS}: the weights do not fit the settings: {'; '.join(faults[:3])}")
    network.load_state_dict(weights, assign=True)
    network.embeddings.set_singletons(vocabularies.words.singletons)
    return config, vocabularies, network.eval().requires_grad_(False)


def _check_sizes(folder: Path, config: Config, n_tensors: int) -> None:
    """Refuse settings of a network that nobody could have trained, before it is built."""
    for name, section in config.to_dict().items():
        for key, value in section.items():
            if name == "training":
                continue
            most = n_tensors if key == "layers" else _MAX_SIZE
            if isinstance(value, int) and value > most:
                place = f"{folder / CONFIG}: damaged settings: {name}.{key}"
                raise ModelError(f"{place}: expected at most {most}, found {value:.3g}")


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


def upgrade_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of an earlier version under the names that they have now."""
    found = {}
    for name, tensor in tensors.items():
        for old, new in _RENAMED_WEIGHTS.items():
            name = name.replace(old, new)
        found[name] = tensor
    if "tagger.projection.bias" in tensors:
        # The tagger of earlier versions had classes for padding, unknown tags and ROOT, which it never chose.
        bias = found[_OLD_TAGGER] = found[_OLD_TAGGER].clone()
        bias[: len(Vocabulary.specials)] = -1e4
    return found


def _old_columns(tags: Vocabulary) -> ColumnClasses:
    """The classes of a tagger of earlier versions, which had no file of their own."""
    return ColumnClasses({"upos": LabelVocabulary(tags.symbols)})


def _read_manifest(path: Path) -> dict[str, str]:
    """The checksums of a model folder; old folders have none."""
    try:
        manifest = json.loads(read_bounded(path, _MAX_MANIFEST).decode())
    except FileNotFoundError:
        raise ModelError(f"{path.parent}: not a model folder, {path.name} is missing") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: expected a JSON object, found a damaged file ({error})") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        made = manifest.get("pointree", "?") if isinstance(manifest, dict) else "?"
        origin = f"made by pointree {made!s:.40}; this is {__version__}"
        raise ModelError(f"{path}: expected format {FORMAT}, found {found!s:.40} ({origin})")
    checksums = manifest.get("sha256", {})
    if not isinstance(checksums, dict):
        raise ModelError(f'{path}: expected checksums by file under "sha256", found {checksums!r:.80}')
    return checksums


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        metadata = _read_metadata(path)
        data = read_bounded(path, _MAX_BYTES)
    except FileNotFoundError:
        raise ModelError(f"{path}: missing from the model folder") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        tensors = load_tensors(data)
    except SafetensorError as error:
        raise ModelError(f"{path}: expected safetensors, found a damaged file ({error})") from None
    if metadata.get("sha256") != _digest(tensors):
        raise ModelError(f"{path}: damaged: the values differ from their checksum")
    return tensors


def _read_metadata(path: Path) -> dict[str, Any]:
    """What the header of safetensors says besides the tensors; the rest of a file without one is not read."""
    size = path.stat().st_size
    if not path.is_file():
        read_bounded(path, 0)  # a folder, a device or a pipe: the error says what it is
    with path.open("rb") as stream:
        header_size = int.from_bytes(stream.read(8), "little")
        if not 0 < header_size <= min(_MAX_HEADER, size - 8):
            raise ModelError(f"{path}: expected safetensors, found a damaged file (a header of {header_size} bytes)")
        try:
            header = json.loads(stream.read(header_size))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{path}: expected safetensors, found a damaged file ({error!s:.80})") from None
    metadata = header.get("__metadata__") if isinstance(header, dict) else None
    return metadata if isinstance(metadata, dict) else {}


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
