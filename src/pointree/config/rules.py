"""Rules for the fields of a configuration, said once for checking, error messages and documentation."""

from __future__ import annotations

import difflib
import json
import operator
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard, get_args

__all__ = ["FieldRule", "as_toml", "choice", "flag", "number", "share", "suggestion", "text", "whole", "wholes"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}

_NOUNS: dict[Callable[[Any], Any], str] = {str: "a text", bool: "true or false", tuple: "a list of whole numbers"}


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field accepts, and the sentence that explains the field."""

    kind: Callable[[Any], Any]
    """The type of the value; what is written as a list is kept as a tuple."""
    help: str
    choices: Collection[str] = ()
    bounds: tuple[tuple[str, float], ...] = ()
    odd: bool = False

    @property
    def expectation(self) -> str:
        """The accepted values in words, as error messages and the documentation show them."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind in _NOUNS:
            return _NOUNS[self.kind]
        noun = "a number" if self.kind is float else "an odd whole number" if self.odd else "a whole number"
        return " ".join([noun, " and ".join(f"{sign} {bound}" for sign, bound in self.bounds)])

    def accepts(self, value: object) -> bool:
        """Whether a value has the right type and lies in range; a bool is no number, an int is a float."""
        if self.kind is str:
            return isinstance(value, str) and (not self.choices or value in self.choices)
        if self.kind is bool:
            return isinstance(value, bool)
        if self.kind is tuple:
            return _is_list_of_wholes(value) and bool(value)
        if isinstance(value, bool) or not isinstance(value, (int, float) if self.kind is float else int):
            return False
        if not abs(value) <= sys.float_info.max:  # NaN, the infinities, and integers that no float can hold
            return False
        in_range = all(_COMPARE[sign](value, bound) for sign, bound in self.bounds)
        return in_range and (not self.odd or value % 2 == 1)


def whole(text: str, *bounds: tuple[str, float], odd: bool = False) -> dict[str, FieldRule]:
    """Metadata of a field that holds a whole number, at least 1 unless the bounds say otherwise."""
    return {"rule": FieldRule(int, text, bounds=bounds or ((">=", 1),), odd=odd)}


def number(text: str, *bounds: tuple[str, float]) -> dict[str, FieldRule]:
    """Metadata of a field that holds a number."""
    return {"rule": FieldRule(float, text, bounds=bounds)}


def share(text: str) -> dict[str, FieldRule]:
    """Metadata of a field that holds a number from 0 up to, but not including, 1."""
    return number(text, (">=", 0), ("<", 1))


def choice(choices: Any, text: str) -> dict[str, FieldRule]:
    """Metadata of a field that holds one of the values of a `Literal` type."""
    return {"rule": FieldRule(str, text, choices=get_args(choices))}


def text(explanation: str) -> dict[str, FieldRule]:
    """Metadata of a field that holds any text."""
    return {"rule": FieldRule(str, explanation)}


def flag(explanation: str) -> dict[str, FieldRule]:
    """Metadata of a field that is true or false."""
    return {"rule": FieldRule(bool, explanation)}


def wholes(explanation: str) -> dict[str, FieldRule]:
    """Metadata of a field that holds whole numbers, one at least."""
    return {"rule": FieldRule(tuple, explanation)}


def _is_list_of_wholes(value: object) -> TypeGuard[list[int] | tuple[int, ...]]:
    return isinstance(value, list | tuple) and all(type(item) is int for item in value)


def as_toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one, or all names of its section."""
    known = list(known)
    section, _, field = name.rpartition(".")
    siblings = {other.rpartition(".")[2]: other for other in known if other.rpartition(".")[0] == section}
    # A field in the wrong section, or without one, is a better guess than a name that only looks similar.
    moved = [other for other in known if other.rpartition(".")[2] == field]
    if close := moved or [siblings[near] for near in difflib.get_close_matches(field, siblings, n=1)]:
        return f"; did you mean {' or '.join(close)}?"
    return f"; known are {', '.join(siblings)}"
