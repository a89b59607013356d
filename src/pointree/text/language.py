"""What a language looks like, letter by letter: which model fits a text, and whether a text is in a model's language.

A profile has the most frequent sequences of one, two and three letters of a treebank. It gives a text a number of bits
a letter: the fewer, the better it fits. Of several profiles the one with the fewest bits names the language; beyond the
limit of a single profile, the text is in another language.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pointree.errors import ModelError

__all__ = ["ENOUGH_LETTERS", "SAMPLE_LETTERS", "LanguageProfile", "count_letters"]

ENOUGH_LETTERS = 150
"""Letters without which no text in the script of a language is called foreign: names look like any language."""

_FEW_LETTERS = 10
"""Letters that are enough if they are of a script that the language does not have."""

_LONG_WORD = 40
"""Letters of a word that count towards these: a longer one is rarely a word."""

SAMPLE_LETTERS = 2_000
"""Letters of a text that are looked at."""

_MOST = (3_000, 3_000, 4_000)
"""Sequences of one, two and three letters that a profile keeps."""

_WEIGHTS = (0.1, 0.3, 0.6)
"""What sequences of one, two and three letters say of the next letter, mixed."""

_UNSEEN = 5e-8
"""The probability of a letter of which nothing is known."""

_CHUNK_LETTERS = 300
_ROOM = 1.1
_LEAST_SHARE = 0.1
"""Of the letters of a treebank, the share from which a script belongs to the language."""
_STRANGE_SHARE = 0.005
"""The share below which it is one that the language does not have, but for names and quotations."""

_NO_LETTERS = re.compile(r"[\W\d_]+")


class LanguageProfile:
    """How often short sequences of letters stand in a language.

    Attributes:
        counts: The counts of the most frequent sequences of one, two and three letters; a space is a border of words.
        limit: The bits a letter beyond which a text is not in the language.
    """

    def __init__(self, counts: tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]], limit: float) -> None:
        self.counts = counts
        self.limit = limit
        self._letters = sum(counts[0].values())
        self._scripts = _scripts(counts[0])
        self._bits: dict[str, float] = {}

    @classmethod
    def of(cls, texts: Iterable[str]) -> LanguageProfile | None:
        """The profile of texts of one language; without any letters, None.

        Every tenth text is kept out of the counts at first, and says how many bits text of the language has. With fewer
        than ten texts nothing says so, and nothing is foreign.
        """
        words = [letters for text in texts if not (letters := _letters(text)).isspace()]
        held_out = words[9::10]
        counted: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
        for number, letters in enumerate(words):
            if number % 10 != 9:
                _count(letters, counted)
        first = cls(_most_frequent(counted), math.inf)
        bits = sorted(found for chunk in _chunks(held_out) if (found := first.bits(chunk)) is not None)
        limit = _ROOM * bits[int(0.99 * len(bits))] if bits else math.inf
        for letters in held_out:
            _count(letters, counted)
        return cls(_most_frequent(counted), round(limit, 4)) if words else None

    def bits(self, text: str) -> float | None:
        """The bits a letter that a text has under this profile; None without letters."""
        letters = _letters(text)
        found = [self._bits_of(letters[i : i + 3]) for i in range(len(letters) - 2)]
        return sum(found) / len(found) if found else None

    def is_foreign(self, text: str) -> bool:
        """Whether a text is clearly in another language; of a text with few letters, only its script is clear."""
        n_letters = count_letters(text)
        if n_letters < _FEW_LETTERS:
            return False
        if n_letters < ENOUGH_LETTERS:
            return not self.has_script(text, usually=False)
        return not self.fits(text)

    def fits(self, text: str) -> bool:
        """Whether a text, however short, looks like the language; one without letters does."""
        bits = self.bits(text)
        return self.has_script(text, usually=True) and (bits is None or bits <= self.limit)

    def has_script(self, text: str, *, usually: bool) -> bool:
        """Whether the language has the script of most letters of a text: usually, or at least now and then."""
        scripts = _scripts(Counter(_letters(text)))
        if not scripts:
            return True
        [(script, _count)] = scripts.most_common(1)
        share = self._scripts[script] / max(self._scripts.total(), 1)
        return share >= (_LEAST_SHARE if usually else _STRANGE_SHARE)

    def _bits_of(self, sequence: str) -> float:
        """The surprise at the last of three letters."""
        bits = self._bits.get(sequence)
        if bits is None:
            ones, twos, threes = self.counts
            shares = (
                ones.get(sequence[2], 0) / max(self._letters, 1),
                twos.get(sequence[1:], 0) / max(ones.get(sequence[1], 0), 1),
                threes.get(sequence, 0) / max(twos.get(sequence[:2], 0), 1),
            )
            probability = sum(weight * min(share, 1.0) for weight, share in zip(_WEIGHTS, shares, strict=True))
            bits = self._bits[sequence] = -math.log2(probability + _UNSEEN)
        return bits

    def to_json(self) -> str:
        """The profile as the file of a model folder has it."""
        return json.dumps({"limit": self.limit, "counts": [dict(each) for each in self.counts]}, ensure_ascii=False)

    @classmethod
    def from_json(cls, content: str, name: str) -> LanguageProfile:
        """Read what `to_json` wrote; ``name`` is what messages call it."""
        try:
            read: Any = json.loads(content)
            ones, twos, threes = read["counts"]
            limit = float(read["limit"])
            for table in (ones, twos, threes):
                if not all(isinstance(count, int) and count > 0 for count in table.values()):
                    raise ValueError("counts must be whole numbers above 0")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(f"{name}: expected counts of letters, found a damaged file ({error!s:.80})") from None
        return cls((ones, twos, threes), limit)


def count_letters(text: str) -> int:
    """The letters of a text, those of very long words left out: they are rarely words."""
    return sum(min(len(word), _LONG_WORD) for word in _letters(text).split())


def _letters(text: str) -> str:
    """Lower-case words with a space around each, and nothing but letters."""
    return f" {_NO_LETTERS.sub(' ', unicodedata.normalize('NFC', text).lower()).strip()} "


def _count(letters: str, counts: tuple[Counter[str], ...]) -> None:
    for size, counter in enumerate(counts, 1):
        counter.update(letters[i : i + size] for i in range(len(letters) - size + 1))


def _most_frequent(counts: tuple[Counter[str], ...]) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    ones, twos, threes = (dict(counter.most_common(most)) for counter, most in zip(counts, _MOST, strict=True))
    return ones, twos, threes


def _chunks(texts: Iterable[str]) -> Iterator[str]:
    """Texts put together until each has so many letters that its bits mean something."""
    held: list[str] = []
    for text in texts:
        held.append(text)
        if sum(map(len, held)) >= _CHUNK_LETTERS:
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)


def _scripts(letters: Mapping[str, int]) -> Counter[str]:
    """How many of the letters each script has."""
    found: Counter[str] = Counter()
    for letter, count in letters.items():
        if not letter.isspace():
            found[_script(letter)] += count
    return found


@lru_cache(maxsize=1 << 16)
def _script(letter: str) -> str:
    """The script of a letter: the first word of its name in Unicode, such as LATIN or CJK."""
    return unicodedata.name(letter, "?").partition(" ")[0]
