"""The paper's figures, to be put beside ours."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["PAPER_TABLES", "PaperScore", "paper_available", "paper_columns", "paper_score"]

PAPER_TABLES = ("ud", "penn", "penn-bert")


@dataclass(frozen=True, slots=True)
class PaperScore:
    """A mean over three seeds and its standard deviation, which the paper has for test splits only."""

    mean: float
    sd: float | None


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("pointree.experiments") / "paper.toml").read_text(encoding="utf-8"))


def paper_columns(table: str) -> list[str]:
    """The treebanks of a table, as its columns call them."""
    columns: list[str] = _tables()[table]["columns"]
    return columns


def paper_score(table: str, split: str, system: str, column: str, metric: str) -> PaperScore | None:
    """The paper's figure for a system, if it has one.

    The paper does not say whether its LAS counts subtypes of labels, so the figure stands beside either of ours.
    """
    metric = "las" if metric == "las_subtypes" else metric
    found = _tables().get(table, {})
    if column not in found.get("columns", ()):
        return None
    place = found["columns"].index(column)

    def value(name: str) -> float | None:
        row = found.get(split, {}).get(name, {}).get(system, ())
        return row[place] if place < len(row) else None

    mean = value(metric)
    return None if mean is None else PaperScore(mean, value(f"{metric}_sd"))


def paper_available(column: str) -> list[float]:
    """Table 6: available dependents and long ones of each order, per sentence of dev, for a treebank."""
    figures: list[float] = _tables()["available"][column]
    return figures
