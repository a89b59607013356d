"""What a model is, at a glance: size, order, score and licence, read without loading it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pointree.config import load_config
from pointree.errors import PointreeError
from pointree.models.card import read_card
from pointree.models.folder import read_manifest
from pointree.models.layout import CONFIG, MANIFEST, MODEL_FILES, SEGMENTER, TEXT_MODEL
from pointree.models.registry import AvailableModel, Origin, available_models

__all__ = ["ModelSummary", "list_models", "model_files", "summarise"]


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """One line of `pointree models`."""

    name: str
    origin: Origin
    source: str
    folder: str
    size: int
    """Bytes of all files of the model."""
    order: str | None
    fusion: str | None
    las: float | None
    las_on: str | None
    """What the LAS was measured on, in the words of the card."""
    raw_text: bool
    licence: str | None
    hidden: bool
    """Whether another model of the same name is found before this one."""
    fault: str | None
    """Why the model cannot be used: its format is newer, its settings are damaged, or its name is taken twice."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them."""
        return asdict(self)


def list_models() -> list[ModelSummary]:
    """Describe all models that have a name on this machine, in the order in which a name is looked for.

        >>> [model.name for model in pointree.list_models()]

    These are the subfolders of the folders in $POINTREE_MODELS, the bundled models, and those installed as wheels.
    """
    return summarise(available_models())


def summarise(models: Iterable[AvailableModel]) -> list[ModelSummary]:
    """Describe models, which are given in the order in which a name is looked for; a damaged one is described too."""
    first_origins: dict[str, Origin] = {}
    summaries = []
    for model in models:
        order = fusion = fault = None
        try:
            read_manifest(model.folder / MANIFEST)
            decoder = load_config(model.folder / CONFIG, allow_removed=True).decoder
            order, fusion = decoder.order, decoder.fusion
        except PointreeError as error:
            fault = str(error)
        if first_origins.get(model.name) == "installed":
            fault = fault or "another package has a model of this name; pip uninstall one of them"
        files = model_files(model.folder)
        facts = read_card(model.folder)
        summaries.append(
            ModelSummary(
                name=model.name,
                origin=model.origin,
                source=model.source,
                folder=str(model.folder),
                size=sum(path.stat().st_size for path in files),
                order=order,
                fusion=fusion,
                las=facts.las,
                las_on=facts.las_on,
                raw_text=any(path.name in (SEGMENTER, TEXT_MODEL) for path in files),
                licence=facts.licence,
                hidden=model.name in first_origins,
                fault=fault,
            )
        )
        first_origins.setdefault(model.name, model.origin)
    return summaries


def model_files(folder: Path) -> list[Path]:
    """The files of a folder that belong to the model, without those of its training."""
    found = {path for pattern in MODEL_FILES for path in folder.glob(pattern) if path.is_file()}
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())
