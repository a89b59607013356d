"""Bytes to text; what is neither UTF-8 nor Unicode is an error with its line."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, TextIO

from pointree.errors import FormatError

__all__ = ["BLOCK", "chunks", "decode"]

BLOCK = 1 << 16
"""Bytes or characters that are read at once."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def chunks(stream: BinaryIO | TextIO) -> Iterator[bytes | str]:
    """A stream bit by bit, without waiting for more of a pipe than there is."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(BLOCK):
        yield chunk


def decode(blocks: Iterable[bytes | str], name: str) -> Iterator[str]:
    """Blocks of a document as text, code point for code point; `name` is what messages call it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    newlines = io.IncrementalNewlineDecoder(None, translate=True)  # for the numbers of lines in messages
    line = 1
    for block in _with_end(blocks):
        if isinstance(block, bytes):
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                line += newlines.decode(error.object[: error.start].decode("utf-8"), final=True).count("\n")
                problem = f"expected UTF-8, found byte 0x{error.object[error.start]:02x} ({error.reason})"
                raise FormatError(name, line, problem) from None
        else:
            text = block
        if found := _SURROGATE.search(text):
            line += newlines.decode(text[: found.start()], final=True).count("\n")
            raise FormatError(name, line, f"expected Unicode text, found a lone U+{ord(found[0]):04X}")
        line += newlines.decode(text).count("\n")
        yield text


def _with_end(blocks: Iterable[bytes | str]) -> Iterator[bytes | str]:
    """The blocks and, after the last, an empty one of its kind: the sign for the decoder to finish."""
    end: bytes | str = b""
    for block in blocks:
        end = block[:0]
        yield block
    yield end
