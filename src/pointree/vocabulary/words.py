"""Words, looked up as they are written and then in lower case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.vocabulary.symbols import UNK, Vocabulary, frequent

__all__ = ["WordVocabulary", "normalise", "variants"]

_MEMO_SIZE = 1 << 16
_DIGITS_TO_ZERO = str.maketrans("123456789", "000000000")
_TURKISH_LOWER = str.maketrans({"I": "ı", "İ": "i"})


def normalise(form: str) -> str:
    """A form with every digit 0-9 as 0, which is how words are counted and looked up."""
    return form.translate(_DIGITS_TO_ZERO)


def variants(word: str) -> tuple[str, ...]:
    """The spellings under which a word is looked up: as it is, in lower case, in Turkish lower case."""
    return word, word.lower(), word.translate(_TURKISH_LOWER).lower()


class WordVocabulary(Vocabulary):
    """Words with digits as 0, looked up as they are, then in lower case, then in Turkish lower case.

    `singletons` marks the words that the training data has once: these are the ones to train UNK with.
    """

    def __init__(self, symbols: Iterable[str], singletons: Collection[int] = ()) -> None:
        super().__init__(symbols)
        self.singletons: NDArray[np.bool_] = np.zeros(len(self), dtype=np.bool_)
        self.singletons[list(singletons)] = True
        self.singletons.setflags(write=False)
        self._memo: dict[str, int] = {}

    @classmethod
    def build(cls, forms: Mapping[str, int], min_count: int, vector_words: Iterable[str] = ()) -> Self:
        """Words whose forms are counted `min_count` times at least, then all words of pretrained vectors."""
        counts: Counter[str] = Counter()
        for form, count in forms.items():
            counts[normalise(form)] += count
        symbols = dict.fromkeys(frequent(counts, min_count, cls.specials))
        symbols.update(dict.fromkeys(map(normalise, vector_words)))
        for special in cls.specials:
            symbols.pop(special, None)
        occurrences: Counter[int] = Counter()
        vocabulary = cls(symbols)
        for form, count in forms.items():
            occurrences[vocabulary.lookup(form)] += count
        del occurrences[UNK]
        return cls(symbols, [number for number, count in occurrences.items() if count == 1])

    def lookup(self, symbol: str) -> int:
        """The number of a form or of the first of its spellings that is there, or UNK."""
        number = self._memo.get(symbol)
        if number is None:
            number = UNK
            for spelling in variants(normalise(symbol)):
                if spelling in self._numbers:
                    number = self._numbers[spelling]
                    break
            if len(self._memo) >= _MEMO_SIZE:
                self._memo.clear()
            self._memo[symbol] = number
        return number

    def vector_rows(self, vector_words: Sequence[str]) -> NDArray[np.int64]:
        """For each word of the vocabulary, its row among pretrained vectors, or -1.

        A word takes the row of its own spelling, then that of the first vector that is the same but for
        digits, then those of its lower case spellings.
        """
        row_of: dict[str, int] = {}
        for row, word in enumerate(vector_words):
            row_of.setdefault(normalise(word), row)
        row_of.update({word: row for row, word in enumerate(vector_words) if word == normalise(word)})
        rows = np.full(len(self), -1, dtype=np.int64)
        for word, number in self._numbers.items():
            rows[number] = next((row_of[spelling] for spelling in variants(word) if spelling in row_of), -1)
        return rows

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "singletons": np.flatnonzero(self.singletons).tolist()}

    @classmethod
    def _from_state(cls, symbols: list[str], state: dict[str, Any], path: str) -> Self:
        singletons = state.get("singletons")
        numbers = range(len(cls.specials), len(cls.specials) + len(symbols))
        if not isinstance(singletons, list) or not all(
            type(number) is int and number in numbers for number in singletons
        ):
            raise ModelError(f'{path}: expected a list of word numbers under "singletons"')
        return cls(symbols, singletons)
