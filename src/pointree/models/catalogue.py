"""The models that can be installed beside the bundled ones; `experiments/tables.py` writes their list."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["CatalogueModel", "catalogue", "install_command", "not_installed"]

_FILE = Path(__file__).with_name("catalogue.json")


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model of the folder ``models`` in pointree's repository."""

    code: str
    language: str
    treebank: str
    size: int
    """Bytes."""
    las: float
    """On test of the treebank, from raw text."""


@cache
def catalogue() -> dict[str, CatalogueModel]:
    """All models of the repository by their codes."""
    entries = json.loads(_FILE.read_text(encoding="utf-8"))
    return {code: CatalogueModel(code, **entry) for code, entry in entries.items()}


def not_installed(installed: Collection[str]) -> list[CatalogueModel]:
    """The models of the catalogue that are not among the installed names."""
    return [model for code, model in catalogue().items() if code not in installed]


def install_command(code: str) -> str:
    """What to type in a copy of the repository to install a model."""
    return f"pip install -c constraints.txt ./models/{code}"
