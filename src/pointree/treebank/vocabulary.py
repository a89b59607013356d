"""Symbols and their numbers: words, characters, tags and relations, fixed when training starts."""

from __future__ import annotations

import json
import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.files import atomic_write
from pointree.treebank.sentence import Sentence

__all__ = [
    "PAD",
    "ROOT",
    "UNK",
    "CharVocabulary",
    "LabelVocabulary",
    "Vocabularies",
    "Vocabulary",
    "WordVocabulary",
    "normalise",
    "variants",
]

PAD, UNK, ROOT = 0, 1, 2

_MEMO_SIZE = 1 << 16
_MAX_PARTS = 3
_DIGITS_TO_ZERO = str.maketrans("123456789", "000000000")
_TURKISH_LOWER = str.maketrans({"I": "ı", "İ": "i"})


def normalise(form: str) -> str:
    """A form with every digit 0-9 as 0, which is how words are counted and looked up."""
    return form.translate(_DIGITS_TO_ZERO)


def variants(word: str) -> tuple[str, ...]:
    """The spellings under which a word is looked up: as it is, in lower case, in Turkish lower case."""
    return word, word.lower(), word.translate(_TURKISH_LOWER).lower()


class Vocabulary:
    """An immutable list of symbols, of which the first stand for padding, unknown symbols and ROOT.

    A text that happens to contain `<pad>` gets UNK: the specials are reached by number only.
    """

    specials: ClassVar[tuple[str, ...]] = ("<pad>", "<unk>", "<root>")
    unknown: ClassVar[int] = UNK
    """What `lookup` returns for a symbol that is not there."""

    def __init__(self, symbols: Iterable[str]) -> None:
        """Take `symbols`, which are numbered after the specials, in their order."""
        self.symbols: tuple[str, ...] = (*self.specials, *symbols)
        first = len(self.specials)
        self._numbers = {symbol: number for number, symbol in enumerate(self.symbols[first:], first)}

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], min_count: int = 1) -> Self:
        """The symbols seen `min_count` times at least, frequent ones first, ties in alphabetical order."""
        return cls(_frequent(counts, min_count, cls.specials))

    def lookup(self, symbol: str) -> int:
        """The number of a symbol, or `unknown`."""
        return self._numbers.get(symbol, self.unknown)

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._numbers

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._state() == self._state()

    def __hash__(self) -> int:
        return hash(self.symbols)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} symbols)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary as JSON, one symbol a line."""
        with atomic_write(path) as stream:
            json.dump(self._state(), stream, ensure_ascii=False, indent=0)
            stream.write("\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; whatever is wrong with it is a `ModelError`."""
        state = _load_json(Path(path))
        symbols = state.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(symbol, str) for symbol in symbols):
            raise ModelError(f'{os.fspath(path)}: expected a list of strings under "symbols"')
        n_specials = len(cls.specials)
        if tuple(symbols[:n_specials]) != cls.specials:
            expected = ", ".join(cls.specials)
            found = ", ".join(symbols[:n_specials]) or "nothing"
            raise ModelError(f"{os.fspath(path)}: expected the symbols {expected} first, found {found}")
        duplicate = next((symbol for symbol, count in Counter(symbols).items() if count > 1), None)
        if duplicate is not None:
            raise ModelError(f"{os.fspath(path)}: symbol {duplicate!r} is there more than once")
        return cls._from_state(symbols[n_specials:], state, os.fspath(path))

    def _state(self) -> dict[str, Any]:
        return {"symbols": list(self.symbols)}

    @classmethod
    def _from_state(cls, symbols: list[str], state: dict[str, Any], path: str) -> Self:
        return cls(symbols)


class LabelVocabulary(Vocabulary):
    """Symbols to choose from, such as relations: without specials, and -1 for one that was never seen."""

    specials: ClassVar[tuple[str, ...]] = ()
    unknown: ClassVar[int] = -1


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
        return cls(_frequent(counts, min_count, cls.specials), parts=parts)

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
        symbols = dict.fromkeys(_frequent(counts, min_count, cls.specials))
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


@dataclass(frozen=True)
class Vocabularies:
    """All symbols that a model knows; `tags` has only the specials where tags are neither read nor predicted."""

    words: WordVocabulary
    chars: CharVocabulary
    tags: Vocabulary
    deprels: LabelVocabulary

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sentence],
        *,
        min_count: int = 2,
        vector_words: Iterable[str] = (),
        tag: Literal["upos", "xpos", "none", "joint"] = "upos",
        char_parts: bool = False,
    ) -> Vocabularies:
        """Count the training data: words and characters need `min_count` occurrences, the others one."""
        forms: Counter[str] = Counter()
        tags: Counter[str] = Counter()
        deprels: Counter[str] = Counter()
        for sentence in sentences:
            for word in sentence.words:
                forms[word.form] += 1
                if tag != "none":
                    tags[word.xpos if tag == "xpos" else word.upos] += 1
                if word.head is not None:
                    deprels[word.deprel] += 1
        return cls(
            WordVocabulary.build(forms, min_count, vector_words),
            CharVocabulary.build(forms, min_count, parts=char_parts),
            Vocabulary.from_counts(tags),
            LabelVocabulary.from_counts(deprels),
        )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the four vocabularies into a folder that exists."""
        for name in _FILES:
            getattr(self, name).save(Path(folder) / f"{name}.json")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Vocabularies:
        """Read what `save` wrote; whatever is missing or damaged is a `ModelError`."""
        return cls(**{name: kind.load(Path(folder) / f"{name}.json") for name, kind in _FILES.items()})


_FILES: dict[str, Any] = {
    "words": WordVocabulary,
    "chars": CharVocabulary,
    "tags": Vocabulary,
    "deprels": LabelVocabulary,
}


def _parts(char: str) -> str:
    """What a character is composed of, or nothing."""
    parts = unicodedata.normalize("NFD", char)
    return "" if parts == char else parts[:_MAX_PARTS]


def _frequent(counts: Mapping[str, int], min_count: int, specials: Collection[str]) -> list[str]:
    kept = [(-count, symbol) for symbol, count in counts.items() if count >= min_count]
    return [symbol for _, symbol in sorted(kept) if symbol not in specials]


def _load_json(path: Path) -> dict[str, Any]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path}: missing from the model folder") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ModelError(f"{path}: expected JSON, found a damaged file ({error})") from None
    if not isinstance(state, dict):
        raise ModelError(f"{path}: expected a JSON object, found a {type(state).__name__}")
    return state
