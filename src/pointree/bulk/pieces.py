"""Cutting inputs into pieces that are parsed apart: at paragraphs, blank lines or line ends, or between rows.

A cut never changes a sentence: what is segmented together by `pointree parse` stays in one piece. A single paragraph
that is longer than a piece should be is one piece all the same.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO

from pointree.bulk.sources import Source, no_column
from pointree.errors import FormatError, UsageError
from pointree.files import MAX_LINE, open_binary, reading

__all__ = ["Piece", "check_columns", "cut_source", "parquet_file"]

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a source, or all of it.

    Attributes:
        source: Where it comes from.
        start: Its first byte (unpacked, if the source is compressed) or, in Parquet, its first row from 0.
        stop: The byte or row after its last one; None is the end.
        line: The number of its first line or row, from 1.
        chars: Code points of the document before it.
        inside: Of a piece of the text in a single row: where it starts and stops there, in code points.
        is_long: Whether it is (a part of) a long document, which was checked when it was cut.
        begins: Whether a paragraph begins with it.
        fault: Why the source cannot be read, if it cannot.
    """

    source: Source
    start: int = 0
    stop: int | None = None
    line: int = 1
    chars: int = 0
    inside: tuple[int, int] | None = None
    is_long: bool = False
    begins: bool = True
    fault: str | None = None

    @property
    def position(self) -> tuple[int, int | None]:
        """Where it starts and stops in its document."""
        return self.inside or (self.start, self.stop)

    @property
    def document(self) -> str:
        """A name for the document that the piece is cut from, good for a file name."""
        return f"{self.source.number}" if self.inside is None else f"{self.source.number}-{self.line}"

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Piece:
        """The piece of which these are the fields, as JSON has them."""
        inside = values["inside"]
        return cls(**{**values, "source": Source(**values["source"]), "inside": tuple(inside) if inside else None})


def cut_source(source: Source, target: int, *, by_line: bool, text_column: str) -> Iterator[tuple[Piece, int]]:
    """The pieces of a source, each with its size in words: about ``target``, or more where there is no place to cut.

    The bytes of text are checked on the way: a file that is not UTF-8 is a `FormatError`, whatever piece it shows in.
    ``by_line`` allows cuts at every line end, where each line is a sentence.
    """
    target *= source.bytes_per_word
    if source.kind == "parquet":
        found = _cut_parquet(source, target, text_column)
    else:
        found = _cut_file(source, target, by_line, text_column)
    for piece, size in found:
        yield piece, size // source.bytes_per_word


def _cut_file(source: Source, target: int, by_line: bool, text_column: str) -> Iterator[tuple[Piece, int]]:
    with reading(source.title), closing(open_binary(source.path)) as stream:
        if source.kind == "jsonl":
            yield from _cut_rows(source, stream, target, text_column)
        else:
            yield from _cut_lines(source, stream, target, by_line)


def _cut_lines(source: Source, stream: BinaryIO, target: int, by_line: bool) -> Iterator[tuple[Piece, int]]:
    decode = codecs.getincrementaldecoder("utf-8")().decode
    piece = Piece(source, is_long=True)
    position, line, chars = 0, 1, 0
    starts_line, after_blank = True, True
    for raw in iter(partial(stream.readline, _READ), b""):
        is_place = starts_line and (by_line or after_blank) and not raw.isspace()
        if is_place and position - piece.start >= target:
            yield replace(piece, stop=position), position - piece.start
            piece = Piece(source, position, None, line, chars, is_long=True, begins=after_blank)
        with _decoding(source, line):
            chars += len(decode(raw))
        after_blank = raw.isspace() and starts_line
        starts_line = raw.endswith(b"\n")
        position += len(raw)
        line += starts_line
    with _decoding(source, line):
        decode(b"", True)  # nothing follows: a character must not be left half read
    yield piece, position - piece.start


@contextmanager
def _decoding(source: Source, line: int) -> Iterator[None]:
    """Tell which byte of which line is not UTF-8."""
    try:
        yield
    except UnicodeDecodeError as error:
        problem = f"expected UTF-8, found byte 0x{error.object[error.start]:02x} ({error.reason})"
        raise FormatError(source.title, line, problem) from None


def _cut_rows(source: Source, stream: BinaryIO, target: int, text_column: str) -> Iterator[tuple[Piece, int]]:
    """Pieces of JSON Lines; a row that is longer than a piece is cut at the paragraphs of its text."""
    piece, position = Piece(source), 0
    for line, (raw, size) in enumerate(_rows(stream), 1):
        if position > piece.start and (position - piece.start >= target or size > target):
            yield replace(piece, stop=position), position - piece.start
            piece = Piece(source, position, None, line)
        if size > target and (parts := _text_parts(raw, target, text_column)):
            for part in parts:
                yield replace(piece, stop=position + size, inside=part, chars=part[0], is_long=True), part[1] - part[0]
            piece = Piece(source, position + size, None, line + 1)
        position += size
    if position > piece.start or position == 0:
        yield piece, position - piece.start


def _rows(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Lines with their sizes; nothing but the size of a line that is too long to be read."""
    while raw := stream.readline(MAX_LINE + 1):
        size = len(raw)
        while not raw.endswith(b"\n") and (more := stream.readline(_READ)):
            raw, size = more, size + len(more)
        yield (raw if size <= MAX_LINE else b""), size


def _text_parts(raw: bytes, target: int, text_column: str) -> list[tuple[int, int]]:
    try:
        text = json.loads(raw)[text_column]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []  # its reader will say so
    return _paragraph_cuts(text, target) if isinstance(text, str) else []


def _paragraph_cuts(text: str, target: int) -> list[tuple[int, int]]:
    """Where to cut a text into parts of about ``target`` characters, each starting with a paragraph."""
    places = [0]
    for blank in _BLANK_LINES.finditer(text):
        if blank.end() - places[-1] >= target and blank.end() < len(text):
            places.append(blank.end())
    return list(zip(places, [*places[1:], len(text)], strict=True)) if len(places) > 1 else []


def parquet_file(source: Source, text_column: str) -> Any:
    """A Parquet file that has the column."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(source.path)
    except pyarrow.ArrowInvalid as error:
        problem = f"expected a Parquet file, found a damaged one ({str(error).splitlines()[0]})"
        raise FormatError(source.title, 1, problem) from None
    names = file.schema_arrow.names
    if text_column not in names:
        raise UsageError(f"{source.title}: {no_column(text_column, names)}")
    return file


def check_columns(sources: Sequence[Source], text_column: str) -> None:
    """Refuse a job whose first table of each kind has no such column, before anything is written."""
    for kind in ("jsonl", "parquet"):
        first = next((source for source in sources if source.kind == kind), None)
        if first is None:
            continue
        if kind == "parquet":
            # A file that fails, as others may; of what is not installed, joining the cluster tells.
            with suppress(FormatError, ImportError), reading(first.title):
                parquet_file(first, text_column).close()
            continue
        with reading(first.title), open_binary(first.path) as stream:
            try:
                row = json.loads(stream.readline(MAX_LINE))
            except (ValueError, RecursionError):
                continue  # a row that fails, as others may
        if isinstance(row, dict) and text_column not in row:
            raise UsageError(f"{first.title}: {no_column(text_column, row)}")


def _cut_parquet(source: Source, target: int, text_column: str) -> Iterator[tuple[Piece, int]]:
    """Ranges of rows; a text that is longer than a piece is cut at its paragraphs."""
    with reading(source.title), parquet_file(source, text_column) as file:
        start, row, size = 0, 0, 0
        for batch in file.iter_batches(batch_size=1024, columns=[text_column]):
            for text in batch.column(0).to_pylist():
                length = len(text) if isinstance(text, str) else 0
                parts = _paragraph_cuts(text, target) if length > target else []
                if row > start and (size >= target or parts):
                    yield Piece(source, start, row, start + 1), size
                    start, size = row, 0
                for part in parts:
                    whole = Piece(source, row, row + 1, row + 1, part[0], part, is_long=True)
                    yield whole, part[1] - part[0]
                row += 1
                if parts:
                    start = row
                else:
                    size += length
        if row > start or row == 0:
            yield Piece(source, start, row, start + 1), size
