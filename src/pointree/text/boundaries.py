"""From the scores of characters to tokens and sentences.

A character has three scores (logits): whether a token ends with it, whether a sentence does, and whether the token that
ends with it stands for several words. Everything is decided from left to right and depends on what follows only within
the limits below, so that text can be cut while it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.text.alphabet import EMOJI, MARK, SPACES
from pointree.text.cleaning import CleanText

__all__ = ["MAX_TOKEN", "MAX_WORDS", "N_CLASSES", "ScoredText", "cut_sentences"]

TOKEN, SENTENCE, MULTIWORD = range(3)
N_CLASSES = 3

MAX_WORDS = 200
"""Tokens of a sentence; a longer one is cut at the likeliest place within so many."""

MAX_LINE_WORDS = 10_000
"""The same where a line is a sentence."""

MAX_TOKEN = 2_048
"""Characters of a token; a longer one is cut at the likeliest place within so many."""

_ROUNDING = np.float32(1e-3)

_FULL_STOP = re.compile(r"[。｡](?=[\w「『（《〈【〔])")
"""A full stop that ends a sentence whatever its scores are. In some treebanks of scripts without spaces, every sentence
is a paragraph of its own, so a segmenter does not learn that another one may follow at once."""

_INSIDE = re.compile(
    "\u200d([^\\W\\d_]|[\u2190-\u32ff\U0001f000-\U0001ffff])"  # joined to what is before by U+200D
    "|[\U0001f1e6-\U0001f1ff]([\U0001f1e6-\U0001f1ff])"  # the second half of a flag
    "|([\U000e0020-\U000e007f])"  # the letters of a flag of a region
)
"""Characters that no token begins with, beside marks: letters and emoji that are written as one with what is before."""

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A part of a paragraph, with shapes and scores. *Shape:* ``shapes`` is ``(n,)``, ``scores`` ``(n, 3)``."""

    text: CleanText
    shapes: NDArray[np.int64]
    scores: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: Sequence[ScoredText]) -> ScoredText:
        """Parts that follow one another as one."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            CleanText.joined([part.text for part in parts]),
            np.concatenate([part.shapes for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def __getitem__(self, part: slice) -> ScoredText:
        return ScoredText(self.text[part], self.shapes[part], self.scores[part])

    def __len__(self) -> int:
        return len(self.shapes)


@dataclass(frozen=True, slots=True)
class TokenSpans:
    """The tokens of a sentence: characters ``first`` up to, without, ``last``; white space follows if ``spaced``."""

    first: Places
    last: Places
    spaced: Flags
    multiword: Flags


def cut_sentences(
    part: ScoredText, *, spaces: bool = False, by_line: bool = False, is_end: bool
) -> Iterator[TokenSpans | int]:
    """The sentences of a part of a paragraph, and at last the place from which more text is needed.

    With ``is_end``, the paragraph ends with it, and nothing is left. With ``spaces``, white space may stand inside a
    token. With ``by_line``, all of it is one sentence.
    """
    n = len(part)
    blank = SPACES[part.shapes]
    visible = np.flatnonzero(~blank)
    if not len(visible):
        yield n if is_end else max(n - 1, 0)
        return
    # What follows a character decides about it, so the last one waits for more text.
    known = n if is_end else n - 1
    before_space = np.empty(n, dtype=bool)
    before_space[:-1] = blank[1:]
    before_space[-1] = is_end
    ends, sentence_ends = _ends(part, blank, before_space, visible[-1], spaces=spaces, by_line=by_line, is_end=is_end)
    places = np.flatnonzero(ends[:known])
    places = _with_token_cuts(places, visible, part, known)
    most = MAX_LINE_WORDS if by_line else MAX_WORDS
    start, position = 0, 0
    token_starts = _starts(places, visible)
    token_ends = places + 1
    spaced = before_space[places]
    multiword = part.scores[places, MULTIWORD] > 0
    stops = np.flatnonzero(sentence_ends[places]).tolist()
    after = 0
    while start < len(places):
        while after < len(stops) and stops[after] < start:
            after += 1
        stop = stops[after] + 1 if after < len(stops) else len(places)
        if stop - start > most:
            window = part.scores[places[start : start + most], SENTENCE]
            stop = start + _likeliest(window) + 1
        elif after == len(stops) and not is_end:
            break
        tokens = slice(start, stop)
        yield TokenSpans(token_starts[tokens], token_ends[tokens], spaced[tokens], multiword[tokens])
        start, position = stop, int(token_ends[stop - 1])
    yield n if is_end else position


def _ends(
    part: ScoredText, blank: Flags, before_space: Flags, last: int, *, spaces: bool, by_line: bool, is_end: bool
) -> tuple[Flags, Flags]:
    """Whether a token, and whether a sentence, ends with each character; ``last`` is the last visible one."""
    ends = part.scores[:, TOKEN] > 0
    if not spaces:
        ends |= before_space
    sentence_ends = part.scores[:, SENTENCE] > 0
    for stop in () if part.text.text.isascii() else _FULL_STOP.finditer(part.text.text):
        ends[stop.start()] = sentence_ends[stop.start()] = True
    if by_line:
        sentence_ends[:] = False
    if is_end:
        ends[last] = sentence_ends[last] = True
    ends &= ~_joined(part)
    ends &= ~blank
    return ends, sentence_ends


def _joined(part: ScoredText) -> Flags:
    """Whether a token may not end with a character: no token begins with a mark, nor inside an emoji or letters that
    share their place in the document.
    """
    begins = MARK[part.shapes] | part.text.inseparable()
    if EMOJI[part.shapes].any():
        begins[[found.start(found.lastindex or 0) for found in _INSIDE.finditer(part.text.text)]] = True
    return np.append(begins[1:], False)


def _likeliest(scores: NDArray[np.float32]) -> int:
    """The place of the highest score; of equal ones, as in a text of dots, the last.

    Scores that differ by less than a product may be off in its last bits, which depend on what it is computed with, are
    equal.
    """
    equal = np.flatnonzero(scores >= scores.max() - _ROUNDING)
    return int(equal[-1]) if len(equal) else len(scores) - 1


def _starts(places: Places, visible: Places) -> Places:
    """The first visible character of each token, by the place of its last one."""
    if not len(places):
        return places
    before = np.concatenate(([-1], places[:-1]))
    return visible[np.searchsorted(visible, before, side="right")]


def _with_token_cuts(places: Places, visible: Places, part: ScoredText, known: int) -> Places:
    """The ends of tokens, with more of them where a token would be too long."""
    if known <= MAX_TOKEN:
        return places
    bounds = np.concatenate(([-1], places, [known - 1]))
    if (np.diff(bounds) <= MAX_TOKEN).all():
        return places
    cuts: list[int] = []
    scores = np.where(_joined(part) | SPACES[part.shapes], -np.inf, part.scores[:, TOKEN])
    for start, end in zip(_starts(bounds[1:], np.append(visible, known)), bounds[1:], strict=True):
        place = int(start)
        while int(end) - place >= MAX_TOKEN:
            place += _likeliest(scores[place : place + MAX_TOKEN]) + 1
            cuts.append(place - 1)
    return np.union1d(places, np.array(cuts, dtype=np.int64))
