"""Rules for the fields of a configuration, said once for checking, error messages and documentation."""

from __future__ import annotations

import json
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

__all__ = ["Rule", "as_toml", "choice", "number", "share", "whole"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field accepts, and the sentence that explains the field."""

    kind: type[int] | type[float] | type[str]
    help: str
    choices: tuple[str, ...] = ()
    bounds: tuple[tuple[str, float], ...] = ()
    odd: bool = False

    @property
    def expectation(self) -> str:
        """The accepted values in words, as error messages and the documentation show them."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        noun = "a number" if self.kind is float else "an odd whole number" if self.odd else "a whole number"
        return " ".join([noun, " and ".join(f"{sign} {bound}" for sign, bound in self.bounds)])

    def accepts(self, value: object) -> bool:
        """Whether a value has the right type and lies in range; a bool is no number, an int is a float."""
        if self.kind is str:
            return isinstance(value, str) and value in self.choices
        if isinstance(value, bool) or not isinstance(value, (int, float) if self.kind is float else int):
            return False
        if not abs(value) <= sys.float_info.max:  # NaN, the infinities, and integers that no float can hold
            return False
        in_range = all(_COMPARE[sign](value, bound) for sign, bound in self.bounds)
        return in_range and (not self.odd or value % 2 == 1)


def whole(text: str, *bounds: tuple[str, float], odd: bool = False) -> dict[str, Rule]:
    """Metadata of a field that holds a whole number, at least 1 unless the bounds say otherwise."""
    return {"rule": Rule(int, text, bounds=bounds or ((">=", 1),), odd=odd)}


def number(text: str, *bounds: tuple[str, float]) -> dict[str, Rule]:
    """Metadata of a field that holds a number."""
    return {"rule": Rule(float, text, bounds=bounds)}


def share(text: str) -> dict[str, Rule]:
    """Metadata of a field that holds a number from 0 up to, but not including, 1."""
    return number(text, (">=", 0), ("<", 1))


def choice(choices: Any, text: str) -> dict[str, Rule]:
    """Metadata of a field that holds one of the values of a `Literal` type."""
    return {"rule": Rule(str, text, choices=get_args(choices))}


def as_toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
