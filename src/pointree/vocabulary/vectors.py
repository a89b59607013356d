"""Pretrained word vectors in text form: word2vec, GloVe and fastText, plain or gzip."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pointree.errors import FormatError, InputError
from pointree.files import open_binary, read_lines, reading

__all__ = ["Vectors", "read_vectors", "vector_width"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECIMAL = re.compile(rb"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Words and their vectors, row by row. Shape of `matrix`: `(n_words, size)`, float32."""

    words: list[str]
    matrix: NDArray[np.float32]

    @property
    def size(self) -> int:
        """The width of the vectors."""
        return int(self.matrix.shape[1])


def read_vectors(path: str | os.PathLike[str], *, expected_size: int | None = None) -> Vectors:
    """Read a file of vectors, one word a line, with or without a header line `words size`.

    A word may contain spaces, as numbers are taken from the right, and bytes that are not UTF-8, which are
    replaced. Of words that occur twice the first one counts. A number of words other than the header's is an
    error, because nothing else tells that a plain file was cut off; so is a line of more than
    `pointree.files.MAX_LINE` bytes.
    """
    name = os.fspath(path)
    with reading(name), open_binary(path) as stream:
        return _read(name, stream, expected_size)


def vector_width(path: str | os.PathLike[str]) -> int:
    """The width of the vectors in a file, by its first line."""
    name = os.fspath(path)
    with reading(name), open_binary(path) as stream:
        return _start(name, next(read_lines(stream, name), b""))[1]


def _start(name: str, first: bytes) -> tuple[int | None, int]:
    """What the first line of a file tells: how many words there are, if it is a header, and the width of vectors."""
    first = first.removeprefix(_BYTE_ORDER_MARK)
    if first.isspace() or not first:
        raise InputError(f"{name}: expected word vectors, found {'a blank line' if first else 'an empty file'}")
    announced, size = _header(first) or (None, len(first.split()) - 1)
    if size < 1:
        raise FormatError(name, 1, f"expected a word and its numbers, found {_shown(first)}")
    return announced, size


def _read(name: str, stream: BinaryIO, expected_size: int | None) -> Vectors:
    all_lines = read_lines(stream, name)
    first = next(all_lines, b"").removeprefix(_BYTE_ORDER_MARK)
    announced, size = _start(name, first)
    lines = enumerate(all_lines, 2) if announced is not None else enumerate(chain([first], all_lines), 1)
    if expected_size is not None and size != expected_size:
        raise InputError(f"{name}: expected vectors of width {expected_size} (embeddings.word_size), found {size}")
    words, values, n_lines = _rows(name, lines, size)
    if announced is not None and n_lines != announced:
        raise InputError(
            f"{name}: the header announces {announced} words, found {n_lines}: "
            "the file is cut off, or its first line needs correction"
        )
    if not words:
        raise InputError(f"{name}: no vectors found")
    matrix = np.frombuffer(values, dtype=np.float32).reshape(len(words), size)
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise InputError(f"{name}: the vector of {words[int(finite.argmin())]!r} is not finite")
    return Vectors(words, matrix)


def _rows(name: str, lines: Iterator[tuple[int, bytes]], size: int) -> tuple[list[str], array[float], int]:
    """The words, their numbers in one long array, and the number of lines that held them."""
    seen: dict[str, None] = {}
    values = array("f")
    n_lines = 0
    for number, line in lines:
        fields = line.rsplit(None, size)
        if not fields:
            continue
        if len(fields) <= size:
            raise FormatError(name, number, _wrong_width(size, len(line.split()) - 1))
        n_lines += 1
        word = fields[0]
        if b" " in word and all(map(_DECIMAL.fullmatch, word.split()[1:])):
            raise FormatError(name, number, _wrong_width(size, len(line.split()) - 1))
        text = word.decode("utf-8", "replace")
        if text in seen:
            continue
        try:
            values.extend(map(float, fields[1:]))
        except ValueError:
            raise FormatError(name, number, _not_a_number(fields[1:])) from None
        seen[text] = None
    return list(seen), values, n_lines


def _header(line: bytes) -> tuple[int, int] | None:
    """The number of words and their width, if this line is a header."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _wrong_width(expected: int, found: int) -> str:
    return f"expected a word and {expected} numbers, found {found}"


def _not_a_number(fields: list[bytes]) -> str:
    first = next(field for field in fields if not _is_number(field))
    return f"expected a number, found {_shown(first)}"


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _shown(value: bytes, most: int = 40) -> str:
    text = value.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= most else text[:most] + "…")
