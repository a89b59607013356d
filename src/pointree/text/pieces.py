"""A tokeniser that takes a whole text at once, given a long one piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pointree.options import SentenceBreaks
from pointree.text.cleaning import CleanText
from pointree.text.paragraphs import BLANK_LINE, NOTHING, without_leading_space
from pointree.text.placing import Placed
from pointree.treebank.sentence import Sentence

__all__ = ["MAX_PIECE", "InPieces", "Tokeniser"]

MAX_PIECE = 1 << 16
"""Characters of a paragraph that are segmented at once.

A longer paragraph is cut at white space, and its last sentence begun again with what follows, so that a cut
shows only in a single sentence (or, with one sentence a line, a single line) or a single word that is longer.
"""


class Tokeniser(Protocol):
    """What turns the text of a paragraph into sentences; `TextModel` is one."""

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        """Cut text into sentences of words; if it is presegmented, each line is one."""


class InPieces:
    """Sentences of a document, by a tokeniser that gets ``max_piece`` characters of a paragraph at most."""

    def __init__(self, tokeniser: Tokeniser, max_piece: int | None = None) -> None:
        self._tokeniser = tokeniser
        self._max_piece = max_piece

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        """The sentences of a document, each with whether it begins a paragraph; see `Segmenter`."""
        by_sentence = breaks == "presegmented"
        rest = NOTHING
        begins = True
        for piece, ends in _pieces(blocks, breaks != "auto", self._max_piece or MAX_PIECE):
            for part, is_whole in _lines(piece, ends) if breaks == "line" else [(piece, ends)]:
                text = Placed(rest + part)
                rest = NOTHING
                started = False
                for sentence, is_last in _with_is_last(self._tokeniser.segment(text.shown, presegmented=by_sentence)):
                    if is_last and started and not is_whole and not by_sentence:
                        rest = text.rest()
                        break
                    started = True
                    text.place(sentence)
                    yield sentence, begins
                    begins = False
            begins = begins or ends


def _lines(piece: CleanText, ends: bool) -> Iterator[tuple[CleanText, bool]]:
    """The lines of a piece, each with whether it ends with it: what follows the last line end may go on."""
    start = 0
    while (end := piece.text.find("\n", start)) >= 0:
        yield piece[start:end], True
        start = end + 1
    yield piece[start:], ends


def _with_is_last(sentences: Iterator[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Sentences, each with whether it is the last one: one is read ahead, and no more."""
    held = next(sentences, None)
    while held is not None:
        following = next(sentences, None)
        yield held, following is None
        held = following


def _pieces(blocks: Iterable[CleanText], by_line: bool, max_piece: int) -> Iterator[tuple[CleanText, bool]]:
    """Paragraphs, and the pieces of long ones, each with whether its paragraph ends with it."""
    buffer = NOTHING
    for block in blocks:
        buffer += block
        start = 0
        for blank in BLANK_LINE.finditer(buffer.text):
            yield buffer[start : blank.start()], True
            start = blank.end()
        buffer = without_leading_space(buffer[start:])
        while len(buffer) > max_piece:
            cut = _cut(buffer.text, by_line, max_piece)
            yield buffer[:cut], False
            buffer = buffer[cut:]
    yield buffer, True


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
