"""The sentences of a request, read the way the command line reads them: the same bytes give the same sentences."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence

from pointree.options import SentenceBreaks
from pointree.parser import Parser
from pointree.serving.failures import RequestError, over_limit
from pointree.serving.limits import Limits
from pointree.text.char_segmenter import CharSegmenter
from pointree.text.pieces import MAX_PIECE, InPieces, Tokeniser
from pointree.text.reading import segment_steps, segment_text
from pointree.treebank.blocks import is_blank
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence

__all__ = ["check_text", "from_conllu", "from_text", "from_tokeniser", "from_words"]

_PIECE, _LINE = 2_048, 16_384
"""Characters that the tokeniser is given at once, of text without usual words and of text with one sentence a line.

It holds the interpreter's lock, and with it the whole service, for about 0.03 ms a character of a sentence. It ends a
sentence after 1,000 words at the latest. So text of usual words is cut where the command line cuts it, and text of
longer words, or without spaces, into smaller pieces, which may end a sentence elsewhere. A longer line is cut.
"""

_RUNS, _RUN_CHARACTERS = 500, 16
"""Text has usual words if so many of them have no more characters each, on average, than this."""

_MOST_SPACE = 10_000
_SPACE = re.compile(rf"(?<!\s)\s{{{_MOST_SPACE + 1}}}")
"""White space that is too long; the search starts where a run starts, so it looks at each character once."""

_ROWS_PER_WORD = 4
"""Rows and comments of a CoNLL-U sentence, for each word that it may have."""


def from_text(
    text: str, parser: Parser, limits: Limits, *, sentences: SentenceBreaks = "auto", name: str = "text"
) -> Iterator[Sentence | None]:
    """Cut raw text into sentences with the segmenter of the parser, which must have one; None is a pause."""
    segmenter = parser.require_segmenter()
    if isinstance(segmenter, CharSegmenter):
        return _in_slices(text, segmenter, limits, sentences, name)
    return _in_pieces(text, parser.require_text_model(), limits, sentences, name)


def _in_slices(
    text: str, segmenter: CharSegmenter, limits: Limits, sentences: SentenceBreaks, name: str
) -> Iterator[Sentence | None]:
    check_text(text, limits, name)
    yield from segment_steps(text, segmenter, name=name, sentences=sentences)


def _in_pieces(
    text: str, tokeniser: Tokeniser, limits: Limits, sentences: SentenceBreaks, name: str
) -> Iterator[Sentence]:
    runs = check_text(text, limits, name)
    usual = all(sum(map(len, runs[at : at + _RUNS])) <= _RUNS * _RUN_CHARACTERS for at in range(0, len(runs), _RUNS))
    piece = _LINE if sentences == "presegmented" else MAX_PIECE if usual else _PIECE
    yield from segment_text(text, InPieces(tokeniser, piece), name=name, sentences=sentences)


def from_tokeniser(text: str, tokeniser: Tokeniser, limits: Limits, *, name: str) -> Iterator[Sentence]:
    """Cut raw text into sentences with a tokeniser of another kind."""
    return _in_pieces(text, tokeniser, limits, "auto", name)


def from_conllu(conllu: str, limits: Limits, *, name: str = "conllu") -> Iterator[Sentence]:
    """Read CoNLL-U; a row that breaks the format is an error with its line."""
    most = _ROWS_PER_WORD * limits.sentence_words + 100
    lines = _short_blocks(io.StringIO(conllu, newline="\n"), most, limits)
    return read_treebank(lines, format="conllu", name=name)


def _short_blocks(lines: Iterable[str], most: int, limits: Limits) -> Iterator[str]:
    """The lines, unless too many without a blank one, or too many blank ones, follow each other.

    They are refused before anybody works on them: both are read as a whole, and others would wait meanwhile.
    """
    count, blanks = 0, 0
    for line in lines:
        count, blanks = (0, blanks + 1) if is_blank(line) else (count + 1, 0)
        if count > most:
            found = f"found {most} lines without a blank one"
            message = f"expected sentences of at most {limits.sentence_words} words, {found}"
            raise over_limit(limits, "sentence_words", message)
        if blanks > most:
            message = f"expected at most {most} blank lines after each other, found more"
            raise RequestError(413, "blank_lines", message, limit=("blank_lines", most))
        yield line


def from_words(sentences: Sequence[Sequence[str]]) -> Iterator[Sentence]:
    """Take lists of words as sentences."""
    return map(Sentence.from_words, sentences)


def check_text(text: str, limits: Limits, name: str = "text") -> list[str]:
    """Refuse text whose white space alone makes too many words, or too long ones, before anybody works on it.

    White space without end is refused as well: it is read as a whole, and others would wait meanwhile. A script without
    white space is found out later, when it has been cut into that many words. Returns what stands between white space.
    """
    runs = text.split(None, limits.words)
    if len(runs) > limits.words:
        raise over_limit(limits, "words", f"{name}: expected at most {limits.words} words, found more")
    longest = max(map(len, runs), default=0)
    if longest > limits.word_characters:
        expected = f"expected at most {limits.word_characters} characters without white space"
        raise over_limit(limits, "word_characters", f"{name}: {expected}, found {longest}")
    if len(text) - sum(map(len, runs)) > _MOST_SPACE and _SPACE.search(text):
        message = f"{name}: expected at most {_MOST_SPACE} characters of white space after each other, found more"
        raise RequestError(413, "white_space", message, limit=("white_space", _MOST_SPACE))
    return runs
