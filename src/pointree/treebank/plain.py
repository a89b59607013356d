"""Tokenised text in: one sentence a line, its words separated by spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pointree.files import reading
from pointree.treebank.blocks import OnInvalid, Source, not_utf8, open_lines, source_name
from pointree.treebank.sentence import Sentence

__all__ = ["read_words"]

# Only what separates words by design: a no-break space, for one, may stand inside a word.
_SEPARATOR = re.compile(r"[ \t]+")


def read_words(source: Source, *, name: str | None = None, on_invalid: OnInvalid | None = None) -> Iterator[Sentence]:
    """Read one sentence from each line that is not blank; a line that is not UTF-8 is an error or skipped."""
    name = name or source_name(source)
    with reading(name), open_lines(source) as lines:
        for number, line in enumerate(lines, 1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip(" \t\r\n")
            except UnicodeDecodeError as error:
                invalid = not_utf8(name, number, error)
                if on_invalid is None:
                    raise invalid from None
                on_invalid(invalid)
                continue
            if text:
                yield Sentence.from_words(_SEPARATOR.split(text))
