"""Sentence numbers of a document that several actors parse: each tells how many sentences its piece has.

A record is an empty file whose name says all, so that it is there as a whole or not at all, and writing it twice
changes nothing. An actor that needs the number of its first sentence adds up the records before it. Where one is
missing, because its piece was never begun or its actor died, it counts the sentences there itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pointree.bulk.pieces import Piece
from pointree.files import writing

__all__ = ["Numbering"]


class Numbering:
    """The records in a folder; ``count`` finds out how many sentences a piece has."""

    def __init__(self, folder: Path, count: Callable[[Piece], int]) -> None:
        self.folder = folder
        self.count = count

    def record(self, piece: Piece, sentences: int) -> None:
        """Tell how many sentences a piece has."""
        start, stop = piece.position
        path = self._folder(piece) / f"{start}-{'end' if stop is None else stop}-{sentences}"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def before(self, piece: Piece) -> int:
        """How many sentences of the document come before a piece; of two records from one place, the longer counts."""
        own = piece.position[0]
        known: dict[int, tuple[int, int]] = {}
        if self._folder(piece).is_dir():
            for record in self._folder(piece).iterdir():
                start, stop, sentences = record.name.split("-")
                if stop != "end" and known.get(int(start), (0, 0))[0] < int(stop) <= own:
                    known[int(start)] = int(stop), int(sentences)
        total, place = 0, 0
        while place < own:
            if place not in known:
                end = min((start for start in known if start > place), default=own)
                known[place] = end, self.count(_between(piece, place, end))
                self.record(_between(piece, place, end), known[place][1])
            place, found = known[place]
            total += found
        return total

    def _folder(self, piece: Piece) -> Path:
        return self.folder / piece.document


def _between(piece: Piece, start: int, stop: int) -> Piece:
    """Another piece of the same document."""
    if piece.inside is not None:
        return replace(piece, inside=(start, stop))
    return replace(piece, start=start, stop=stop)
