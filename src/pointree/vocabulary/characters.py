"""Characters, and what they are composed of."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.vocabulary.symbols import PAD, Vocabulary, frequent

__all__ = ["CharVocabulary"]

_MAX_PARTS = 3


class CharVocabulary(Vocabulary):
    """Characters and, with `parts`, what they are composed of: the letters of a Hangul syllable, accents.

    There are few parts, and those of a character that was never seen are known.
    """

    def __init__(self, symbols: Iterable[str], *, parts: bool = False) -> None:
        super().__init__(symbols)
        self.parts = parts
        self.width = 1 + (_MAX_PARTS if parts else 0)
        """How many numbers spell a character."""

    @classmethod
    def build(cls, forms: Mapping[str, int], min_count: int, *, parts: bool = False) -> Self:
        """The characters, and parts if wanted, that counted forms have `min_count` times at least."""
        counts: Counter[str] = Counter()
        for form, count in forms.items():
            for char in form:
                for symbol in (char, *(_parts(char) if parts else "")):
                    counts[symbol] += count
        return cls(frequent(counts, min_count, cls.specials), parts=parts)

    def spell(self, form: str) -> NDArray[np.int64]:
        """The number of each character, then those of its parts, if wanted, and PAD. *Shape:* ``(n, width)``."""
        if not self.parts:
            return np.array([self.lookup(char) for char in form], dtype=np.int64).reshape(-1, 1)
        spelling = np.full((len(form), self.width), PAD)
        for row, char in zip(spelling, form, strict=True):
            symbols = (char, *_parts(char))
            row[: len(symbols)] = [self.lookup(symbol) for symbol in symbols]
        return spelling

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "parts": self.parts}

    @classmethod
    def _from_state(cls, symbols: list[str], state: dict[str, Any], path: str) -> Self:
        parts = state.get("parts", False)
        if not isinstance(parts, bool):
            raise ModelError(f'{path}: expected true or false under "parts", found {json.dumps(parts)}')
        return cls(symbols, parts=parts)


def _parts(char: str) -> str:
    """What a character is composed of, or nothing."""
    parts = unicodedata.normalize("NFD", char)
    return "" if parts == char else parts[:_MAX_PARTS]
