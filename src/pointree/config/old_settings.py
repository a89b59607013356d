"""Settings of earlier versions: what they are called now, and which are gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pointree.config.rules import as_toml

__all__ = ["OPPOSITES", "REMOVED_SETTINGS", "RENAMED_SECTIONS", "Upgraded", "upgrade"]

RENAMED_SECTIONS = {"embeddings.contextual": "embeddings.pretrained"}
"""The new name of each section that was renamed."""

OPPOSITES = {"selection.multi_root": "selection.single_root"}
"""Switches that became their opposites."""

REMOVED_SETTINGS: dict[str, Any] = {
    "training.embedding_dropout_stage": 1,
    "training.rest": 0.0,
    "training.restarts": [],
    "training.tag_weight": 1.0,
}
"""The settings that version 0.2 removed, and the default that each of them had."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Settings in today's terms.

    Attributes:
        settings: The sections, with today's names and without removed settings.
        removed: Removed settings that had another value than their default, by their dotted names.
        notices: A line for each old name, and for each removed setting at its default.
    """

    settings: Mapping[str, Any]
    removed: dict[str, Any] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        """A line for each removed setting with a value that no longer has an effect."""
        return [f"{name} was removed in 0.2, found {as_toml(value)}" for name, value in self.removed.items()]


def upgrade(settings: Mapping[str, Any]) -> Upgraded:
    """Bring settings of any version up to date; sections may be nested or have dotted names."""
    found = Upgraded(_without_removed(settings))
    for name, default in REMOVED_SETTINGS.items():
        section, _, key = name.rpartition(".")
        table = settings.get(section)
        if not isinstance(table, Mapping) or key not in table:
            continue
        value = list(table[key]) if isinstance(table[key], tuple) else table[key]
        if value == default and not isinstance(value, bool):
            found.notices.append(f"{name} is gone and was at its default; ignored")
        else:
            found.removed[name] = value
    settings = _with_heads(_with_new_names(found.settings, found.notices), found.notices)
    settings = _with_opposites(settings, found.notices)
    return Upgraded(settings, found.removed, found.notices)


def _with_heads(settings: Mapping[str, Any], notices: list[str]) -> Mapping[str, Any]:
    """UPOS were once predicted by `embeddings.tag = "joint"`."""
    embeddings, heads = settings.get("embeddings"), settings.get("heads", {})
    if not isinstance(embeddings, Mapping) or embeddings.get("tag") != "joint" or not isinstance(heads, Mapping):
        return settings
    notices.append('embeddings.tag = "joint" is now embeddings.tag = "none" and heads.upos = true')
    return {**settings, "embeddings": {**embeddings, "tag": "none"}, "heads": {**heads, "upos": True}}


def _with_opposites(settings: Mapping[str, Any], notices: list[str]) -> Mapping[str, Any]:
    for old, new in OPPOSITES.items():
        section, _, key = old.rpartition(".")
        table = settings.get(section)
        if isinstance(table, Mapping) and isinstance(value := table.get(key), bool):
            others = {name: each for name, each in table.items() if name != key}
            settings = {**settings, section: {**others, new.rpartition(".")[2]: not value}}
            notices.append(f"{old} = {as_toml(value)} is now {new} = {as_toml(not value)}")
    return settings


def _without_removed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        section: {key: value for key, value in table.items() if f"{section}.{key}" not in REMOVED_SETTINGS}
        if isinstance(table, Mapping)
        else table
        for section, table in settings.items()
    }


def _with_new_names(settings: Mapping[str, Any], notices: list[str]) -> Mapping[str, Any]:
    for old, new in RENAMED_SECTIONS.items():
        outer, _, inner = old.rpartition(".")
        table = settings.get(outer)
        if isinstance(table, Mapping) and inner in table:
            renamed = {key: value for key, value in table.items() if key != inner}
            renamed[new.rpartition(".")[2]] = table[inner]
            settings = {**settings, outer: renamed}
            notices.append(f"{old} is now called {new}")
        if old in settings:
            settings = {new if key == old else key: value for key, value in settings.items()}
            notices.append(f"{old} is now called {new}")
    return settings
