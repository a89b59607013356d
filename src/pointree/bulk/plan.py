"""The plan of a bulk job: units of work, each of which becomes one shard, in the order of the input."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pointree.bulk.pieces import Piece, cut_source
from pointree.bulk.sources import Source, with_kind
from pointree.errors import PointreeError, UsageError
from pointree.files import atomic_write
from pointree.options import SentenceBreaks

__all__ = ["Unit", "group_pieces", "needs_cutting", "pieces_of", "read_plan", "write_plan"]


@dataclass(frozen=True, slots=True)
class Unit:
    """What one shard is made of: pieces of input, up to about as many words as a shard should have.

    Attributes:
        number: Its place among all units, from 0; the shard has it in its name.
        pieces: In the order of the input.
        is_last: Whether it is the last unit of the job.
        words: About how many words it has.
    """

    number: int
    pieces: list[Piece] = field(default_factory=list)
    is_last: bool = False
    words: int = 0

    def to_json(self) -> str:
        """The unit on one line, in ASCII: a path need not be UTF-8."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Unit:
        """The unit that `to_json` wrote."""
        values: dict[str, Any] = json.loads(line)
        return cls(**{**values, "pieces": [Piece.from_dict(piece) for piece in values["pieces"]]})


def needs_cutting(source: Source, target: int) -> bool:
    """Whether a file has to be read to plan it: it is large, or its size does not say how much is in it."""
    return source.kind == "parquet" or source.words > target


def pieces_of(source: Source, *, target: int, sentences: SentenceBreaks, text_column: str) -> list[Any] | str:
    """The pieces of a source with their words, as JSON has them; a message if the user has to mend something first.

    A source that cannot be read is one piece, which says why.
    """
    try:
        known = with_kind(source)
        by_line = known.kind == "words" or (sentences == "presegmented" and known.kind == "text")
        pieces = cut_source(known, target, by_line=by_line, text_column=text_column)
        return [[asdict(piece), words] for piece, words in pieces]
    except UsageError as error:
        return str(error)
    except PointreeError as error:
        return [[asdict(Piece(source, fault=str(error))), 0]]


def group_pieces(pieces: Iterable[tuple[Piece, int]], target: int) -> Iterator[Unit]:
    """Units of consecutive pieces, up to ``target`` words each; a piece of a longer document has a unit of its own."""
    number, total = 0, 0
    held: list[Piece] = []
    for piece, words in pieces:
        if held and (piece.is_long or held[-1].is_long or total + words > target):
            yield Unit(number, held, False, total)
            number, total, held = number + 1, 0, []
        held.append(piece)
        total += words
    yield Unit(number, held, True, total)


def write_plan(path: Path, units: Iterable[Unit]) -> int:
    """Write the units to a file, which appears as a whole, and return how many they are."""
    count = 0
    with atomic_write(path) as stream:
        for unit in units:
            stream.write(unit.to_json() + "\n")
            count += 1
    return count


def read_plan(path: Path) -> Iterator[str]:
    """The units of a plan as lines of JSON, one after another."""
    with open(path, encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield line.rstrip("\n")
