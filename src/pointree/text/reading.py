"""Raw text to sentences, as a stream: decoded, cleaned, cut into paragraphs and given to a tokeniser.

`pointree.text.cleaning` has what is cleaned, and `pointree.text.decoding` what is an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol, TextIO

import numpy as np

from pointree.files import open_binary, reading
from pointree.text.cleaning import CleanText, clean
from pointree.text.decoding import BLOCK, chunks, decode
from pointree.text.placing import Placed
from pointree.treebank.sentence import Sentence

__all__ = ["MAX_PIECE", "Segmenter", "read_text", "segment_text"]

MAX_PIECE = 1 << 16
"""Characters of a paragraph that are segmented at once.

A longer paragraph is cut at white space, and its last sentence begun again with what follows, so that a cut
shows only in a single sentence (or, with one sentence a line, a single line) or a single word that is longer.
"""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LEADING_SPACE = re.compile(r"\A\s+")
_NOTHING = CleanText("", np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class Segmenter(Protocol):
    """What turns clean text into sentences; `TextModel` is one."""

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        """Cut text into sentences of words."""


def read_text(
    source: str | os.PathLike[str] | BinaryIO | TextIO,
    model: Segmenter,
    *,
    name: str | None = None,
    presegmented: bool = False,
    prefix: str = "",
) -> Iterator[Sentence]:
    """Segment a text file one paragraph at a time, holding no more than a paragraph in memory.

    `source` is a path (plain or gzip) or an open stream, and `name` what messages call it. Blank lines are
    paragraph breaks; with `presegmented`, each line is a sentence. Sentences are numbered from 1 in
    `# sent_id`, after `prefix`, which keeps the sentences of several files apart.
    """
    if isinstance(source, str | os.PathLike):
        name = name or os.fspath(source)
        with open_binary(source) as stream, reading(name):
            yield from _segment(decode(chunks(stream), name), model, presegmented, prefix)
    else:
        name = name or str(getattr(source, "name", "<input>"))
        with reading(name):
            yield from _segment(decode(chunks(source), name), model, presegmented, prefix)


def segment_text(
    text: str | bytes,
    model: Segmenter,
    *,
    name: str = "<text>",
    presegmented: bool = False,
    prefix: str = "",
    max_piece: int | None = None,
) -> Iterator[Sentence]:
    """Segment a text in memory; all else is as in `read_text`. ``max_piece`` stands for `MAX_PIECE`."""
    blocks = (text[start : start + BLOCK] for start in range(0, len(text), BLOCK))
    return _segment(decode(blocks, name), model, presegmented, prefix, max_piece)


def _segment(
    blocks: Iterable[str], model: Segmenter, presegmented: bool, prefix: str, max_piece: int | None = None
) -> Iterator[Sentence]:
    number = 0
    rest = _NOTHING
    begins = True
    for piece, ends in _pieces(clean(blocks), presegmented, max_piece or MAX_PIECE):
        text = Placed(rest + piece)
        rest = _NOTHING
        started = False
        for sentence, is_last in _with_is_last(model.segment(text.shown, presegmented=presegmented)):
            if is_last and started and not ends and not presegmented:
                rest = text.rest()
                break
            started = True
            number += 1
            text.place(sentence)
            sentence.comments = [f"# sent_id = {prefix}{number}", f"# text = {sentence.text}"]
            if begins:
                sentence.comments.insert(0, "# newpar")
            begins = False
            yield sentence
        begins = begins or ends


def _with_is_last(sentences: Iterator[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Sentences, each with whether it is the last one: one is read ahead, and no more."""
    held = next(sentences, None)
    while held is not None:
        following = next(sentences, None)
        yield held, following is None
        held = following


def _pieces(blocks: Iterable[CleanText], by_line: bool, max_piece: int) -> Iterator[tuple[CleanText, bool]]:
    """Paragraphs, and the pieces of long ones, each with whether its paragraph ends with it."""
    buffer = _NOTHING
    for block in blocks:
        buffer += block
        start = 0
        for blank in _BLANK_LINE.finditer(buffer.text):
            yield buffer[start : blank.start()], True
            start = blank.end()
        buffer = buffer[start:]
        if space := _LEADING_SPACE.match(buffer.text):
            buffer = _shorten(buffer, space.end())
        while len(buffer) > max_piece:
            cut = _cut(buffer.text, by_line, max_piece)
            yield buffer[:cut], False
            buffer = buffer[cut:]
    yield buffer, True


def _shorten(buffer: CleanText, end: int) -> CleanText:
    """White space at the start of a piece, however long, as one character, and no less a line end."""
    kept = max(buffer.text.find("\n", 0, end), 0)
    return buffer[kept : kept + 1] + buffer[end:]


def _cut(buffer: str, by_line: bool, max_piece: int) -> int:
    """Where to cut a long paragraph: before the last line end or white space that fits, or through a word.

    White space goes with what follows: its line end may turn out to be the first half of a blank line.
    """
    if by_line and (line_end := buffer.rfind("\n", 1, max_piece)) > 0:
        return line_end
    for position in range(max_piece - 1, 0, -1):
        if buffer[position].isspace():
            return len(buffer[:position].rstrip()) or max_piece
    return max_piece
