"""Symbols and their numbers, fixed when training starts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from pointree.errors import ModelError
from pointree.files import atomic_write, read_bounded, reading_part

__all__ = ["PAD", "ROOT", "UNK", "LabelVocabulary", "Vocabulary", "frequent", "load_json"]

PAD, UNK, ROOT = 0, 1, 2

_MAX_BYTES = 1 << 26
"""Bytes of a file: some three million words."""

_MOST_NESTED, _BYTES_PER_NESTED = 1_000, 64
"""Brackets that a file may have, and more for every so many bytes: an empty list is 2 bytes there and 64 in memory."""


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
        return cls(frequent(counts, min_count, cls.specials))

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
        state = load_json(Path(path))
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


def frequent(counts: Mapping[str, int], min_count: int, specials: Collection[str]) -> list[str]:
    """The symbols seen ``min_count`` times at least, frequent ones first, ties in alphabetical order."""
    kept = [(-count, symbol) for symbol, count in counts.items() if count >= min_count]
    return [symbol for _, symbol in sorted(kept) if symbol not in specials]


def load_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of a model; whatever is wrong with it is a `ModelError`."""
    with reading_part(path):
        content = read_bounded(path, _MAX_BYTES)
    try:
        if content.count(b"[") + content.count(b"{") > _MOST_NESTED + len(content) // _BYTES_PER_NESTED:
            raise ValueError("too many lists")
        state = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: expected JSON, found a damaged file ({error})") from None
    if not isinstance(state, dict):
        raise ModelError(f"{path}: expected a JSON object, found a {type(state).__name__}")
    return state
