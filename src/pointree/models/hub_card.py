"""The card of a model for the Hugging Face Hub: the card of its folder below a header that the Hub reads.

The header has the licence, the language, the data and, as `model-index`, the scores. What a header of the folder's card
says already is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointree.errors import UsageError
from pointree.files import read_bounded
from pointree.models.card import read_card
from pointree.models.layout import CARD

__all__ = ["CardAdditions", "hub_card", "model_language", "scores_of_card"]

_MAX_CARD = 1 << 20
_TREEBANK = re.compile(r"\b([a-z]{2,3})_[a-z]+-(?:ud|sud)-")
_LANGUAGE = re.compile(r"\A---\n(?:.*\n)*?language:\s*(?:\n-\s*)?[\"']?([a-z]{2,3})\b", re.ASCII)
_PAIR = re.compile(r"\bUAS (\d{1,3}\.\d+), LAS (\d{1,3}\.\d+) on ")
_LIBRARY = "pointree"
_HEADER = f"---\nlibrary_name: {_LIBRARY}\n---\n"
_TAGS = ["dependency-parsing", "universal-dependencies"]
_HUB_LICENCES = re.compile(
    r"(?:cc0-1\.0|cc-by(?:-(?:sa|nc|nd|nc-sa|nc-nd))?-[234]\.0|mit|apache-2\.0|[al]?gpl-3\.0|gpl-2\.0)"
)
_TITLES = {
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "upos": "UPOS",
    "lemmas": "lemmas",
}
"""The scores that go into the header, and what the Hub shall call them."""


@dataclass(frozen=True, slots=True)
class CardAdditions:
    """What the card of the folder does not say.

    Attributes:
        licence: Such as ``cc-by-sa-4.0``; that of the card by default.
        language: Such as ``en``; by default that of the treebank in the card.
        data: Hub ids of the training data.
        scores: F1 in percent by name, as `pointree evaluate --json` gives them; those of the card by default.
        scored_on: What they were measured on.
    """

    licence: str | None = None
    language: str | None = None
    data: Sequence[str] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    scored_on: str | None = None


def hub_card(folder: Path, name: str, added: CardAdditions) -> str:
    """The card of a model with the header that the Hub reads; a model without a licence is a `UsageError`."""
    from huggingface_hub import EvalResult, ModelCard

    text = _read(folder)
    card = ModelCard(text if text.startswith("---\n") else _HEADER + text, ignore_metadata_errors=True)
    data: Any = card.data
    licence = added.licence or data.license or read_card(folder).licence
    if not licence:
        raise UsageError(f"{folder / CARD}: expected a licence, found none; name one, such as cc-by-sa-4.0")
    for key, value in _licence(str(licence)).items():
        setattr(data, key, value)
    language = added.language or data.language or model_language(folder)
    if language:
        data.language = language
    data.library_name = _LIBRARY
    data.pipeline_tag = data.pipeline_tag or "token-classification"
    data.tags = list(dict.fromkeys([*(data.tags or ()), *_TAGS]))
    if added.data:
        data.datasets = list(added.data)
    scores, scored_on = (added.scores, added.scored_on) if added.scores else scores_of_card(folder)
    if scores:
        data.model_name = data.model_name or name
        data.eval_results = [
            EvalResult(
                task_type="token-classification",
                task_name="Dependency parsing",
                dataset_type="universal_dependencies",
                dataset_name=scored_on or "unknown",
                metric_type=metric,
                metric_name=_TITLES[metric],
                metric_value=round(float(scores[metric]), 2),
            )
            for metric in _TITLES
            if metric in scores
        ]
    return str(card)


def scores_of_card(folder: Path) -> tuple[dict[str, float], str | None]:
    """The first scores that a card names, and what they were measured on."""
    facts = read_card(folder)
    if facts.las is None:
        return {}, None
    pair = _PAIR.search(_read(folder))
    uas = {"uas": float(pair[1])} if pair and float(pair[2]) == facts.las else {}
    return uas | {"las": facts.las}, facts.las_on


def model_language(folder: Path) -> str | None:
    """The language of a model by its card: of the header, or of the UD treebank that it names; None if unknown."""
    card = _read(folder)
    found = _LANGUAGE.search(card) or _TREEBANK.search(card)
    return found[1] if found else None


def _licence(text: str) -> dict[str, Any]:
    """A licence by the names of the Hub, which knows some by an identifier and takes others as they are."""
    known = re.sub(r"[\s_]+", "-", text.strip().lower())
    if _HUB_LICENCES.fullmatch(known):
        return {"license": known}
    return {"license": "other", "license_name": known}


def _read(folder: Path) -> str:
    try:
        return read_bounded(folder / CARD, _MAX_CARD).decode("utf-8", "replace")
    except OSError:
        return f"# {folder.resolve().name}\n"
