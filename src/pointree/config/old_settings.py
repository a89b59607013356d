"""Settings of earlier versions: what they are called now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["RENAMED_SECTIONS", "upgrade"]

RENAMED_SECTIONS = {"embeddings.contextual": "embeddings.pretrained"}
"""The new name of each section that was renamed."""


def upgrade(layer: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """The layer with today's names, and a notice of one line for each old name in it."""
    notices = []
    for old, new in RENAMED_SECTIONS.items():
        outer, _, inner = old.rpartition(".")
        table = layer.get(outer)
        if isinstance(table, Mapping) and inner in table:
            renamed = {key: value for key, value in table.items() if key != inner}
            renamed[new.rpartition(".")[2]] = table[inner]
            layer = {**layer, outer: renamed}
            notices.append(f"{old} is now called {new}")
        if old in layer:
            layer = {new if key == old else key: value for key, value in layer.items()}
            notices.append(f"{old} is now called {new}")
    return layer, notices
