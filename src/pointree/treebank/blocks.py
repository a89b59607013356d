"""Cutting a treebank file into blocks: the lines between blank lines, decoded, each with its place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import IO, Any, AnyStr, BinaryIO, TextIO, TypeAlias, TypeVar, cast

from pointree.errors import FormatError
from pointree.files import open_binary, read_lines, reading

__all__ = [
    "MAX_LINES",
    "Block",
    "OnInvalid",
    "Readable",
    "is_blank",
    "not_utf8",
    "open_lines",
    "read_blocks",
    "source_name",
]

Readable: TypeAlias = "str | os.PathLike[str] | BinaryIO | TextIO | Iterable[bytes] | Iterable[str]"
"""What can be read: a path, an open stream, or the lines of one. A stream of bytes is read without loss."""

OnInvalid: TypeAlias = Callable[[FormatError], None]
"""What is told of each sentence that is skipped because it breaks the format."""

MAX_LINES = 200_000
"""The longest sentence that is read: a large file without blank lines must not fill the memory."""

_BYTE_ORDER_MARKS = b"\xef\xbb\xbf", "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_T = TypeVar("_T")


@dataclass(slots=True)
class Block:
    """The lines of one sentence without their line endings, and what surrounds them in the file.

    `line` is the number of the first one; the others are as in `Sentence`.
    """

    line: int
    rows: list[str]
    leader: str
    trailer: str
    newline: str


def source_name(source: Readable) -> str:
    """What messages call a source: its path, the name of the stream, or `<input>`."""
    name = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    return os.fspath(name) if isinstance(name, str | os.PathLike) else "<input>"


@contextmanager
def open_lines(source: Readable) -> Iterator[Iterator[bytes]]:
    """The lines of a source as bytes; a file that is opened here is closed at the end.

    No line has more than `pointree.files.MAX_LINE` bytes.
    """
    with _open(source) as lines:
        yield map(_encode, lines)


@contextmanager
def _open(source: Readable) -> Iterator[Iterator[Any]]:
    """The lines of a source, bytes or text as they are."""
    name = source_name(source)
    if isinstance(source, str | os.PathLike):
        with open_binary(source) as stream:
            yield read_lines(stream, name)
    elif hasattr(source, "readline"):
        yield read_lines(cast(IO[Any], source), name)
    else:
        yield iter(source)


def _encode(line: bytes | str) -> bytes:
    # A lone surrogate passes here and fails where the bytes are decoded, where its line is known.
    return line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line


def is_blank(line: bytes | str) -> bool:
    """Whether a line ends a block: it has ASCII white space alone, which `str.isspace` would not ask."""
    return line.isspace() if isinstance(line, bytes) else not line.strip(" \t\n\r\v\f")


def read_blocks(
    source: Readable, parse: Callable[[Block, str], _T], name: str | None, on_invalid: OnInvalid | None
) -> Iterator[_T]:
    """Cut a source into blocks and parse each, at one block in memory.

    With `on_invalid`, a block that breaks the format is reported and skipped; without, its error is raised.
    """
    name = name or source_name(source)
    with reading(name), _open(source) as lines:
        for line, raws, leader, blanks in _raw_blocks(lines):
            try:
                result = parse(_decode(name, line, raws, leader, blanks), name)
                if len(raws) > MAX_LINES:
                    raise FormatError(name, line, f"expected a blank line within {MAX_LINES} lines")
            except FormatError as error:
                if on_invalid is None:
                    raise
                on_invalid(error)
            else:
                yield result


def _raw_blocks(lines: Iterator[AnyStr]) -> Iterator[tuple[int, list[AnyStr], str, str]]:
    """The number of the first line, the lines, the leader and the blank lines behind, block by block."""
    first: Any = next(lines, b"")
    leader = ""
    mark: Any = _BYTE_ORDER_MARKS[isinstance(first, str)]
    if first.startswith(mark):
        leader = "\ufeff"
        first = first[len(mark) :]
    blank: Any = bytes.isspace if isinstance(first, bytes) else is_blank
    groups = groupby(chain([first], lines) if first else lines, blank)
    number = 1
    for ends, group in groups:
        if ends:  # only at the start of the file: below, blank lines go with the block before them
            blanks = list(group)
            leader += _text(blanks)
            number += len(blanks)
            continue
        raws = list(islice(group, MAX_LINES + 1))
        surplus = sum(1 for _ in group) if len(raws) > MAX_LINES else 0
        blanks = list(next(groups, (True, iter(())))[1])
        yield number, raws, leader, _text(blanks)
        number += len(raws) + surplus + len(blanks)
        leader = ""


def _text(lines: Sequence[bytes] | Sequence[str]) -> str:
    """Lines as one text; what is not UTF-8, or could not be written as such, is a `UnicodeDecodeError`."""
    if not lines or isinstance(lines[0], bytes):
        return b"".join(cast(Sequence[bytes], lines)).decode()
    text = "".join(cast(Sequence[str], lines))
    if not text.isascii() and _SURROGATE.search(text):
        text.encode("utf-8", "surrogatepass").decode()
    return text


def _decode(name: str, line: int, raws: list[AnyStr], leader: str, blanks: str) -> Block:
    try:
        text = _text(raws)
    except UnicodeDecodeError as error:
        raise not_utf8(name, line, error) from None
    newline = "\n"
    rows = text.split("\n")
    ending = ""
    if not rows[-1]:
        rows.pop()
        ending = "\n"
    if "\r" in text:
        has_return = [row.endswith("\r") for row in rows]
        # The last line of a file may lack its ending, whatever that of the others is.
        ended = has_return if ending or len(rows) == 1 else has_return[:-1]
        if True in ended:
            if False in ended:
                odd = ended.index(not ended[0])
                expected, found = ("CRLF", "LF") if ended[0] else ("LF", "CRLF")
                raise FormatError(name, line + odd, f"expected the line ending {expected}, found {found}")
            newline = "\r\n"
            ending = "\r" * has_return[-1] + ending
            rows = [row.removesuffix("\r") for row in rows]
    return Block(line, rows, leader, ending + blanks, newline)


def not_utf8(name: str, line: int, error: UnicodeDecodeError) -> FormatError:
    """The error for a byte that is not UTF-8 in lines from number `line`; columns are characters from 1."""
    before = error.object[: error.start]
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    problem = f"byte 0x{error.object[error.start]:02x} at column {column} is not UTF-8"
    return FormatError(name, line + before.count(b"\n"), problem)
