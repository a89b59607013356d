"""Checks of what a file says: what is wrong is collected, with its place, and a default taken instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pointree.config import PRESETS
from pointree.config.rules import suggestion
from pointree.experiments.systems import unknown_system

__all__ = ["Checks"]


class Checks:
    """Collects faults, each in one line, in the order in which they are found."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def _check_keys(self, prefix: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
        self.faults += [f"{prefix}{key} is unknown{suggestion(key, known)}" for key in table if key not in known]

    def _preset(self, place: str, value: object) -> str | None:
        name: str | None = self._typed(place, value, str, None)
        if name is not None and name not in PRESETS:
            self.faults.append(f"{place} {name} is unknown{suggestion(name, PRESETS)}")
            return None
        return name

    def _known(self, place: str, names: Sequence[str], known: Iterable[str]) -> list[str]:
        """The names that are known; the others are faults."""
        known = list(known)
        one = place.rpartition(".")[2].removesuffix("s")
        kind = {"tested": "system", "member": "system"}.get(one, one)
        for name in (name for name in names if name not in known):
            why = (
                unknown_system(name, known)
                if kind == "system"
                else f"{kind} {name} is unknown{suggestion(name, known)}"
            )
            self.faults.append(f"{place}: {why}")
        return [name for name in names if name in known]

    def _list(self, place: str, value: object, kind: type) -> list[Any]:
        if isinstance(value, list) and all(type(item) is kind for item in value):
            return value
        what = {int: "whole numbers", str: "names"}[kind]
        self.faults.append(f"{place} must be a list of {what}, found {value!r}")
        return []

    def _typed(self, place: str, value: object, kind: type, default: Any) -> Any:
        if value is None or type(value) is kind:
            return default if value is None else value
        what = {int: "a whole number", str: "a text", dict: "a table", bool: "true or false"}[kind]
        self.faults.append(f"{place} must be {what}, found {value!r}")
        return default
