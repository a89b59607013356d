"""The version of spaCy that the integration needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar, get_type_hints

from pointree.errors import MissingExtraError, UsageError

__all__ = ["find_spacy", "require_spacy", "with_types"]

Function = TypeVar("Function", bound=Callable[..., object])

_OLDEST = (3, 8)


def find_spacy() -> str:
    """The version of spaCy; without spaCy, an error of one line that says what to install."""
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("the component for spaCy", "spacy") from None
    return str(spacy.__version__)


def require_spacy() -> None:
    """Refuse a spaCy that is missing or too old, in one line that says what to install."""
    version = find_spacy()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        problem = f"spaCy: expected version {oldest} or later, found {version}"
        raise UsageError(f"{problem}: pip install 'pointree[spacy]'")


def with_types(function: Function) -> Function:
    """Give a function its types in place of their names.

    spaCy 3.7 cannot read names, and would fail with a riddle before the function can say that spaCy is too old.
    """
    function.__annotations__ = get_type_hints(function)
    return function
