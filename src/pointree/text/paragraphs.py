"""Paragraphs of clean text, as it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum

import numpy as np

from pointree.text.cleaning import CleanText

__all__ = ["BLANK_LINE", "NOTHING", "End", "paragraphs", "without_leading_space"]

BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
NOTHING = CleanText("", np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
_LONG_SPACE = re.compile(r"\s{2,}")
_LEADING_SPACE = re.compile(r"\A\s+")


class End(IntEnum):
    """What ends with a part of a text."""

    NOTHING = 0
    LINE = 1
    PARAGRAPH = 2


def paragraphs(blocks: Iterable[CleanText], *, by_line: bool = False) -> Iterator[tuple[CleanText, End]]:
    """Parts of paragraphs, or of their lines, each with what ends with it; blank lines stand between paragraphs.

    White space is one character, a line end if there is one in it, and none at the start and end of a paragraph (of a
    line). At the end of a part it waits for what follows: it may begin a blank line.
    """
    buffer = NOTHING
    begins = True
    for block in blocks:
        buffer += block
        start = 0
        for blank in BLANK_LINE.finditer(buffer.text):
            yield from _parts(buffer[start : blank.start()], begins, End.PARAGRAPH, by_line)
            start = blank.end()
            begins = True
        end = max(start, len(buffer.text.rstrip()))
        if end > start:
            yield from _parts(buffer[start:end], begins, End.NOTHING, by_line)
            begins = False
        buffer = without_leading_space(buffer[end:])
    yield NOTHING, End.PARAGRAPH


def _parts(part: CleanText, begins: bool, end: End, by_line: bool) -> Iterator[tuple[CleanText, End]]:
    start = 0
    while by_line and (line_end := part.text.find("\n", start)) >= 0:
        yield _single_spaced(part[start:line_end], begins), End.LINE
        start, begins = line_end + 1, True
    yield _single_spaced(part[start:], begins), end


def _single_spaced(part: CleanText, begins: bool) -> CleanText:
    """A part with its white space shortened; what stands before the first word of a paragraph is left out."""
    if begins or part.text[-1:].isspace():
        start = len(part.text) - len(part.text.lstrip()) if begins else 0
        part = part[start : max(start, len(part.text.rstrip()))]
    words = part.text.split()  # many times as fast as to search for white space that is too long
    if sum(map(len, words)) + len(words) - 1 == len(part.text) or not _LONG_SPACE.search(part.text):
        return part
    keep = np.ones(len(part), dtype=bool)
    for space in _LONG_SPACE.finditer(part.text):
        keep[space.start() : space.end()] = False
        keep[max(part.text.find("\n", space.start(), space.end()), space.start())] = True
    text = "".join(np.array(list(part.text))[keep])
    return CleanText(text, part.starts[keep], part.ends[keep])


def without_leading_space(text: CleanText) -> CleanText:
    """The text with white space at its start, however long, as one character, and no less a line end."""
    space = _LEADING_SPACE.match(text.text)
    if space is None:
        return text
    kept = max(text.text.find("\n", 0, space.end()), 0)
    return text[kept : kept + 1] + text[space.end() :]
