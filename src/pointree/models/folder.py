"""Reading and writing model folders: safetensors weights, TOML settings, JSON vocabularies and a card; no pickle.

`pointree.models.layout` names the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from pointree.config import Config, load_config
from pointree.errors import ConfigError, InputError, ModelError
from pointree.files import atomic_write, make_folder, read_bounded, reading_part
from pointree.models.layout import (
    CALIBRATION,
    CARD,
    CONFIG,
    FORMAT,
    GRAPHS,
    HEADS,
    LANGUAGE,
    MANIFEST,
    PRETRAINED,
    PRETRAINED_IDENTITY,
    SEGMENTER,
    TEXT_MODEL,
    VOCABULARIES,
    WEIGHTS,
)
from pointree.models.segmenter_file import read_segmenter, write_segmenter
from pointree.models.weights import read_weights, write_weights
from pointree.pretrained.identity import PretrainedIdentity, read_identity
from pointree.text.char_segmenter import SegmenterRules
from pointree.version import __version__
from pointree.vocabulary import ColumnClasses, LabelVocabulary, Vocabularies, Vocabulary

__all__ = [
    "ModelFiles",
    "read_folder",
    "read_manifest",
    "read_segmenter_part",
    "replace_config",
    "save_folder",
    "upgrade_names",
    "write_card",
    "write_manifest",
]

Weight = TypeVar("Weight")

_RENAMED_WEIGHTS = {
    "embeddings.contextual.encoder.": "embeddings.pretrained.model.",
    "embeddings.contextual.": "embeddings.pretrained.",
    "tagger.projection.": "heads.upos.projection.",
}
"""Parts of the names that weights had in earlier versions, and their names now."""

_CHECKED = (CONFIG, *VOCABULARIES.values())
"""Files of every model that could be damaged without looking so; weights have a checksum of their own."""

_MAX_BYTES = 1 << 28
_MAX_MANIFEST = 1 << 20
"""Bytes of any file of a model but its weights, and of its manifest."""

_MAX_SIZE = 1 << 20
"""More than the size of any layer."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model as it was read: settings, vocabularies, and weights as they are stored.

    Attributes:
        folder: Where it was read from.
        weights: Arrays by name, 32 bits or fewer: see `pointree.models.quantise.dequantise`.
        identity: The pretrained model that it was trained with, if any.
        segmenter: What its segmenter knows beside its weights, if it has one.
    """

    folder: Path
    config: Config
    vocabularies: Vocabularies
    weights: dict[str, np.ndarray]
    identity: PretrainedIdentity | None
    segmenter: SegmenterRules | None = None


def save_folder(
    folder: Path,
    config: Config,
    vocabularies: Vocabularies,
    weights: Mapping[str, np.ndarray],
    card: str,
    *,
    segmenter: SegmenterRules | None = None,
) -> None:
    """Write a model; each file is replaced as a whole."""
    make_folder(folder)
    with atomic_write(folder / CONFIG) as stream:
        stream.write(config.to_toml())
    for name, file in VOCABULARIES.items():
        getattr(vocabularies, name).save(folder / file)
    if vocabularies.columns:
        vocabularies.columns.save(folder / HEADS)
    if segmenter is not None:
        write_segmenter(folder / SEGMENTER, segmenter)
    write_card(folder, card)
    write_weights(folder / WEIGHTS, weights)
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
    text, checksums = config.to_toml(), read_manifest(folder / MANIFEST)
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


def _checked(folder: Path) -> list[str]:
    patterns = (f"{PRETRAINED}/*.json", f"{GRAPHS}/*")
    inner = sorted(path.relative_to(folder).as_posix() for pattern in patterns for path in folder.glob(pattern))
    names = (CALIBRATION, HEADS, LANGUAGE, SEGMENTER, PRETRAINED_IDENTITY, TEXT_MODEL)
    optional = [name for name in names if (folder / name).is_file()]
    return [*_CHECKED, *optional, *inner]


def _checksum(path: Path) -> str:
    with reading_part(path):
        return hashlib.sha256(read_bounded(path, _MAX_BYTES)).hexdigest()


def read_folder(folder: Path) -> ModelFiles:
    """Read a model; whatever is missing, damaged or of another version is a `ModelError`."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    checksums = read_manifest(folder / MANIFEST)
    try:
        config = load_config(folder / CONFIG, allow_removed=True)
    except (ConfigError, InputError) as error:
        raise ModelError(f"{folder}: damaged settings: {error}") from error
    for name in checksums:
        if not name.startswith(f"{GRAPHS}/") and not (folder / name).exists():
            raise ModelError(f"{folder / name}: missing from the model folder")
    files = {name: folder / file for name, file in VOCABULARIES.items()}
    if (folder / HEADS).exists():
        files["columns"] = folder / HEADS
    vocabularies = Vocabularies.load(files)
    _check(folder, checksums, _checked(folder))
    stored = read_weights(folder / WEIGHTS)
    weights = upgrade_names(stored)
    if "tagger.projection.bias" in stored:
        # The tagger of earlier versions had classes for padding, unknown tags and ROOT, which it never chose.
        bias = weights["heads.upos.projection.bias"] = stored["tagger.projection.bias"].copy()
        bias[: len(Vocabulary.specials)] = -1e4
    if not vocabularies.columns and any(name.startswith("heads.") for name in weights):
        vocabularies = replace(vocabularies, columns=_old_columns(vocabularies.tags))
    _check_sizes(folder, config, len(weights))
    identity = read_identity(folder / PRETRAINED_IDENTITY) if config.embeddings.pretrained.model else None
    rules = read_segmenter(folder / SEGMENTER) if (folder / SEGMENTER).exists() else None
    return ModelFiles(folder, config, vocabularies, weights, identity, rules)


def read_segmenter_part(folder: Path) -> tuple[SegmenterRules, dict[str, np.ndarray]]:
    """The rules of a segmenter, and all weights of its model, which stay in their file until they are used."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    _check(folder, read_manifest(folder / MANIFEST), [SEGMENTER])
    return read_segmenter(folder / SEGMENTER), read_weights(folder / WEIGHTS)


def _check(folder: Path, checksums: Mapping[str, str], names: Iterable[str]) -> None:
    """Hold files to their checksums; old folders may lack some."""
    for name in names:
        expected = checksums.get(name, "")
        if expected and expected != _checksum(folder / name):
            raise ModelError(f"{folder / name}: damaged: the content differs from its checksum in {MANIFEST}")


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


def upgrade_names(weights: Mapping[str, Weight]) -> dict[str, Weight]:
    """Weights of an earlier version under the names that they have now."""
    found = {}
    for name, weight in weights.items():
        for old, new in _RENAMED_WEIGHTS.items():
            name = name.replace(old, new)
        found[name] = weight
    return found


def _old_columns(tags: Vocabulary) -> ColumnClasses:
    """The classes of a tagger of earlier versions, which had no file of their own."""
    return ColumnClasses({"upos": LabelVocabulary(tags.symbols)})


def read_manifest(path: Path) -> dict[str, str]:
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
        if isinstance(found, int) and found > FORMAT:
            origin += "; install a newer pointree"
        raise ModelError(f"{path}: expected format {FORMAT}, found {found!s:.40} ({origin})")
    checksums = manifest.get("sha256", {})
    if not isinstance(checksums, dict):
        raise ModelError(f'{path}: expected checksums by file under "sha256", found {checksums!r:.80}')
    return checksums
