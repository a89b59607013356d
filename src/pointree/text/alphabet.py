"""Characters as the segmenter's network sees them: a number for each that it knows, and a shape for all."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pointree.text.cleaning import code_points

__all__ = ["EMOJI", "MARK", "N_SHAPES", "PAD", "SPACES", "UNKNOWN", "Alphabet", "shapes_of"]

PAD, UNKNOWN = 0, 1
"""The numbers of what stands outside a paragraph, and of characters that are not known."""

_CATEGORIES = [
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
]
_SHAPES = {name: number for number, name in enumerate(_CATEGORIES, 1)}
_GROUPS = ("\n", ".", "!?。！？؟।", ",;:，；：、", "\"'’‘“”", "-–—")
"""Characters whose shape says more than their category, in groups of a shape each."""

_SCRIPTS = ((0x3040, 0x30A0), (0x30A0, 0x3100), (0x3400, 0xA000), (0xAC00, 0xD7B0), (0x0E00, 0x0F00))
"""Hiragana, Katakana, Han, Hangul, Thai and Lao: letters whose script tells whether spaces separate words."""

_FIRST_GROUP = len(_CATEGORIES) + 1
_FIRST_SCRIPT = _FIRST_GROUP + len(_GROUPS)
_JOINER = _FIRST_SCRIPT + len(_SCRIPTS)
N_SHAPES = _JOINER + 1
"""The number of shapes; 0 is that of `PAD`. It is part of the format of a model."""

SPACES = np.zeros(N_SHAPES, dtype=bool)
SPACES[[_SHAPES["Zs"], _SHAPES["Zl"], _SHAPES["Zp"], _SHAPES["Cc"], _FIRST_GROUP]] = True
"""Which shapes are white space."""

MARK = np.zeros(N_SHAPES, dtype=bool)
MARK[[_SHAPES["Mn"], _SHAPES["Mc"], _SHAPES["Me"], _JOINER]] = True
"""Which shapes belong to the character before them: combining marks, and what joins or colours emoji."""

EMOJI = np.zeros(N_SHAPES, dtype=bool)
EMOJI[[_SHAPES["So"], _SHAPES["Cf"], _JOINER]] = True
"""Which shapes emoji of several characters have, among others."""

_UNSEEN = 255
Numbers = NDArray[np.int64]


class Alphabet:
    """The characters that a segmenter knows, numbered from 2."""

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = "".join(characters)
        self._numbers = np.full(0x110000, UNKNOWN, dtype=np.int32)
        self._numbers[code_points(self.characters)] = np.arange(2, len(self.characters) + 2)

    @classmethod
    def build(cls, texts: Iterable[str], *, min_count: int) -> Alphabet:
        """The characters that texts have this often, by falling frequency."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text)
        frequent = [char for char, count in counts.items() if count >= min_count]
        return cls(sorted(frequent, key=lambda char: (-counts[char], char)))

    def __len__(self) -> int:
        return len(self.characters) + 2

    def __reduce__(self) -> tuple[type[Alphabet], tuple[str]]:
        return Alphabet, (self.characters,)

    def __call__(self, text: str) -> Numbers:
        """The number of each character."""
        return self._numbers[code_points(text)].astype(np.int64)


def shapes_of(text: str) -> Numbers:
    """The shape of each character."""
    table, codes = _table(), code_points(text)
    found = table[codes]
    if (found == _UNSEEN).any():
        for code in np.unique(codes[found == _UNSEEN]):
            table[code] = _shape(chr(code))
        found = table[codes]
    return found.astype(np.int64)


@cache
def _table() -> NDArray[np.uint8]:
    return np.full(0x110000, _UNSEEN, dtype=np.uint8)


def _shape(char: str) -> int:
    for number, group in enumerate(_GROUPS, _FIRST_GROUP):
        if char in group:
            return number
    if char == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return _JOINER
    for number, (first, last) in enumerate(_SCRIPTS, _FIRST_SCRIPT):
        if first <= ord(char) < last and unicodedata.category(char) == "Lo":
            return number
    return _SHAPES[unicodedata.category(char)]
