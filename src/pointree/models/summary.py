"""What a model is, at a glance: size, order, score and licence, read without loading it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pointree.config import load_config
from pointree.errors import PointreeError
from pointree.files import read_bounded
from pointree.models.layout import CARD, CONFIG, MODEL_FILES, TEXT_MODEL
from pointree.models.registry import AvailableModel, Origin

__all__ = ["CardFacts", "ModelSummary", "model_files", "read_card", "summarise"]

_LAS = re.compile(r"\bLAS[\s:=|*]{1,8}(100(?:\.0+)?|\d{1,2}\.\d+)\b")
_LICENCE = re.compile(r"^[ >*_|-]*licen[cs]e[ *_]*[:|](.+)$|^#+ *licen[cs]e *\n+(.+)$", re.IGNORECASE | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MAX_CARD = 1 << 20
_CLAUSE_END = re.compile(r"[.,;:](?:\s|$)| \(|\|")


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card says in a form that a program can find: ``LAS 87.42``, and ``Licence: CC BY-SA 4.0``."""

    las: float | None = None
    licence: str | None = None


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
    raw_text: bool
    licence: str | None
    hidden: bool
    """Whether another model of the same name is found before this one."""
    fault: str | None
    """What is wrong with the settings of the model."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them."""
        return asdict(self)


def summarise(models: Iterable[AvailableModel]) -> list[ModelSummary]:
    """Describe models, which are given in the order in which a name is looked for; a damaged one is described too."""
    seen: set[str] = set()
    summaries = []
    for model in models:
        order = fusion = fault = None
        try:
            decoder = load_config(model.folder / CONFIG).decoder
            order, fusion = decoder.order, decoder.fusion
        except PointreeError as error:
            fault = str(error)
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
                raw_text=any(path.name == TEXT_MODEL for path in files),
                licence=facts.licence,
                hidden=model.name in seen,
                fault=fault,
            )
        )
        seen.add(model.name)
    return summaries


def model_files(folder: Path) -> list[Path]:
    """The files of a folder that belong to the model, without those of its training."""
    found = {path for pattern in MODEL_FILES for path in folder.glob(pattern) if path.is_file()}
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def read_card(folder: Path) -> CardFacts:
    """The first LAS and the first licence of the model card; None for what it does not say."""
    try:
        card = read_bounded(folder / CARD, _MAX_CARD).decode("utf-8", "replace")
    except OSError:
        return CardFacts()
    las, licence = _LAS.search(card), _LICENCE.search(card)
    return CardFacts(
        las=float(las[1]) if las else None,
        licence=_first_clause(licence[1] or licence[2]) if licence else None,
    )


def _first_clause(line: str) -> str | None:
    """The start of a line in Markdown, up to the first comma, full stop or bracket."""
    plain = _LINK.sub(r"\1", line).strip(" \t*_|`\"'")
    return _CLAUSE_END.split(plain, maxsplit=1)[0].strip(" *_`\"'") or None
