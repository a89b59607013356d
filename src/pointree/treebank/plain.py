"""Tokenised text in: one sentence a line, its words separated by spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pointree.errors import FormatError
from pointree.files import reading
from pointree.treebank.blocks import OnInvalid, Readable, not_utf8, open_lines, source_name
from pointree.treebank.sentence import Sentence

__all__ = ["read_words"]

# Only what separates words by design: a no-break space, for one, may stand inside a word.
_SEPARATOR = re.compile(r"[ \t]+")


def read_words(source: Readable, *, name: str | None = None, on_invalid: OnInvalid | None = None) -> Iterator[Sentence]:
    """Read one sentence from each line that is not blank; a line that is not valid is an error or skipped."""
    name = name or source_name(source)
    with reading(name), open_lines(source) as lines:
        for number, line in enumerate(lines, 1):
            try:
                text = _decode(line, name, number)
            except FormatError as error:
                if on_invalid is None:
                    raise
                on_invalid(error)
                continue
            if text:
                yield Sentence.from_words(_SEPARATOR.split(text))


def _decode(line: bytes, name: str, number: int) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip(" \t\r\n")
    except UnicodeDecodeError as error:
        raise not_utf8(name, number, error) from None
    if "\r" in text:
        raise FormatError(name, number, "expected lines that end in LF or CRLF, found a lone CR")
    return text
