"""What all sections of a configuration share: fields with rules, checked when a section is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, ClassVar

from pointree.config.rules import FieldRule, as_toml, suggestion
from pointree.errors import ConfigError

__all__ = ["Section", "fault_of", "section_rules"]


class Section:
    """Base of the sections: checks every field, then what the fields mean together."""

    __slots__ = ()
    name: ClassVar[str]
    jointly: ClassVar[frozenset[str]] = frozenset()
    """The fields that `conflicts` looks at."""

    def __post_init__(self) -> None:
        values = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        faults = [fault_of(type(self), key, values[key]) for key in section_rules(type(self))]
        found = [fault for fault in faults if fault] or list(self.conflicts(values))
        if found:
            raise ConfigError(found)

    @classmethod
    def conflicts(cls, values: Mapping[str, Any]) -> Iterator[str]:
        """Faults of values that are fine one by one but not together."""
        yield from ()


_RULES: dict[type[Section], Mapping[str, FieldRule]] = {}
"""The rules of each section once they were asked for: each value is checked against them, and grids have thousands."""


def section_rules(section: type[Section]) -> Mapping[str, FieldRule]:
    """The rules of all fields but those that are sections themselves."""
    if section not in _RULES:
        rules = {item.name: item.metadata["rule"] for item in fields(section) if item.metadata}  # type: ignore[arg-type]
        _RULES[section] = MappingProxyType(rules)
    return _RULES[section]


def fault_of(section: type[Section], key: str, value: object, known: Iterable[str] = ()) -> str | None:
    """What is wrong with one value, or None; an unknown field gets a suggestion from the ``known`` ones."""
    name, rule = section.name, section_rules(section).get(key)
    if rule is None:
        return f"{name}.{key} is unknown{suggestion(f'{name}.{key}', known)}"
    return None if rule.accepts(value) else f"{name}.{key} must be {rule.expectation}, found {as_toml(value)}"
