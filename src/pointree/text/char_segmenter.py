"""Raw text to sentences by the scores of a network over characters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pointree.options import SentenceBreaks
from pointree.text.alphabet import PAD, Alphabet, shapes_of
from pointree.text.boundaries import ScoredText, TokenSpans, cut_sentences
from pointree.text.cleaning import CleanText
from pointree.text.expansion import Expansion
from pointree.text.paragraphs import End, paragraphs
from pointree.treebank.sentence import Sentence, Token

__all__ = ["CharSegmenter", "SegmenterRules", "paragraph_end"]

WINDOW, BATCH = 512, 8
"""Characters of a window, with its margins, and windows that are scored at once."""

_MISC = ("SpaceAfter=No", "_")
"""MISC of a token, by whether white space follows it."""

Numbers = NDArray[np.int64]
_Scores = Callable[[Numbers, Numbers], NDArray[np.float32]]
"""The scores of windows of characters: ``(chars, shapes)`` to logits. *Shape:* ``(batch, n)`` to ``(batch, n, 3)``."""


@dataclass(frozen=True, slots=True)
class SegmenterRules:
    """What a segmenter knows beside its weights.

    Attributes:
        alphabet: The characters that its network knows.
        expansion: How multiword tokens become words.
        spaces: Whether white space may stand inside a token.
    """

    alphabet: Alphabet
    expansion: Expansion
    spaces: bool = False


def paragraph_end(alphabet: Alphabet, margin: int) -> tuple[Numbers, Numbers]:
    """What stands between paragraphs, as characters and shapes: a space and, so that none sees another, padding."""
    padding = np.full(margin, PAD, dtype=np.int64)
    return np.concatenate((alphabet(" "), padding)), np.concatenate((shapes_of(" "), padding))


@dataclass(slots=True)
class _Stretch:
    """A part of a paragraph that waits for its scores, or the padding between two (without text)."""

    length: int
    text: CleanText | None = None
    shapes: Numbers | None = None
    end: End = End.NOTHING


class CharSegmenter:
    """Cuts clean text into sentences of words.

    Text goes through the network in windows of the same size, counted from the start of the document, a few at a time.
    Each window sees ``margin`` characters beyond both of its ends, and none of another paragraph (or line, if lines end
    sentences). So
    sentences depend neither on the blocks in which a text arrives nor on what stands around their paragraph.
    """

    def __init__(self, rules: SegmenterRules, scores: _Scores, margin: int) -> None:
        self.rules = rules
        self.margin = margin
        self._scores = scores

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        """The sentences of a document, each with whether it begins a paragraph."""
        return (found for found in self.sentence_steps(blocks, breaks) if found is not None)

    def sentence_steps(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool] | None]:
        """The same as `sentences`, with pauses: None after each part of the text, whether a sentence ended or not."""
        held: list[ScoredText] = []
        begins = True
        enough, by_line = 0, breaks == "presegmented"
        for scored in self._scored(paragraphs(blocks, by_line=breaks != "auto")):
            if scored is None:
                yield None
                continue
            part, end = scored
            is_end = end is not End.NOTHING
            held.append(part)
            if sum(map(len, held)) < enough and not is_end:
                continue
            whole = ScoredText.joined(held)
            for found in cut_sentences(whole, spaces=self.rules.spaces, by_line=by_line, is_end=is_end):
                if isinstance(found, int):
                    held = [] if is_end else [whole[found:]]
                    # Where no sentence ends for long, the time to look again must not grow with the square.
                    enough = 0 if is_end else 2 * (len(whole) - found)
                else:
                    yield self._sentence(whole.text, found), begins
                    begins = False
            begins = begins or end is End.PARAGRAPH

    def _scored(self, parts: Iterable[tuple[CleanText, End]]) -> Iterator[tuple[ScoredText, End] | None]:
        """Parts of paragraphs with their scores, each with what ends with it; None is a pause."""
        margin, core = self.margin, max(WINDOW - 2 * self.margin, WINDOW // 2)
        padding = np.full(margin, PAD, dtype=np.int64)
        ending = paragraph_end(self.rules.alphabet, margin)
        waiting: deque[_Stretch] = deque()
        chars, shapes = [padding], [padding]
        size, started = margin, False
        for part, end in parts:
            yield None
            if len(part):
                found = shapes_of(part.text)
                waiting.append(_Stretch(len(part), part, found, end))
                chars.append(self.rules.alphabet(part.text))
                shapes.append(found)
                size += len(part)
                started = True
            elif end and started:
                waiting.append(_Stretch(0, part, np.zeros(0, dtype=np.int64), end))
            if end and started:
                waiting.append(_Stretch(len(ending[0])))
                chars.append(ending[0])
                shapes.append(ending[1])
                size += len(ending[0])
                started = False
            if size >= BATCH * core + 2 * margin:
                tape = np.concatenate(chars), np.concatenate(shapes)
                done = 0
                while size - done >= BATCH * core + 2 * margin:
                    window = slice(done, done + BATCH * core + 2 * margin)
                    scores = self._windows(tape[0][window], tape[1][window], core)
                    yield from _matched(scores, waiting)
                    yield None
                    done += BATCH * core
                chars, shapes = [tape[0][done:]], [tape[1][done:]]
                size -= done
        if size > margin:
            # The last windows are filled with padding; what is left of one alone need not be.
            n = size - margin
            padded = n if n <= core else -(-n // core) * core
            filling = np.full(padded - n + margin, PAD, dtype=np.int64)
            tape = np.concatenate((*chars, filling)), np.concatenate((*shapes, filling))
            yield from _matched(self._windows(*tape, min(core, padded)), waiting)

    def _windows(self, chars: Numbers, shapes: Numbers, core: int) -> NDArray[np.float32]:
        """The scores of a stretch of text without its margins, which is cut into windows."""
        n, width = len(chars) - 2 * self.margin, core + 2 * self.margin
        starts = np.arange(0, n, core)[:, None] + np.arange(width)
        return self._scores(chars[starts], shapes[starts])[:, self.margin : self.margin + core].reshape(n, -1)

    def _sentence(self, text: CleanText, spans: TokenSpans) -> Sentence:
        starts, ends = text.starts[spans.first].tolist(), text.ends[spans.last - 1].tolist()
        places = zip(spans.first.tolist(), spans.last.tolist(), strict=True)
        forms = [text.text[first:last] for first, last in places]
        if self.rules.spaces:
            forms = [" ".join(form.split()) for form in forms]
        multiword, miscs = spans.multiword, [_MISC[spaced] for spaced in spans.spaced.tolist()]
        if not multiword.any():
            ids = map(str, range(1, len(forms) + 1))
            none = repeat("_")
            columns = (ids, forms, none, none, none, none, repeat(None), none, none, miscs, starts, ends)
            return Sentence(list(map(Token, *columns)), start=starts[0], end=ends[-1])
        tokens: list[Token] = []
        n_words = 0
        for form, is_multiword, misc, start, end in zip(forms, multiword.tolist(), miscs, starts, ends, strict=True):
            words = self.rules.expansion.words(form) if is_multiword else None
            if words is None:
                n_words += 1
                tokens.append(Token(str(n_words), form, misc=misc, start=start, end=end))
                continue
            id_ = f"{n_words + 1}-{n_words + len(words)}"
            tokens.append(Token(id_, form, misc=misc, start=start, end=end))
            for word in words:
                n_words += 1
                tokens.append(Token(str(n_words), word, start=start, end=end))
        return Sentence(tokens, start=starts[0], end=ends[-1])


def _matched(scores: NDArray[np.float32], waiting: deque[_Stretch]) -> Iterator[tuple[ScoredText, End]]:
    """Give scores to the text that waits for them, in order."""
    position = 0
    while waiting and (position < len(scores) or not waiting[0].length):
        stretch = waiting[0]
        taken = min(stretch.length, len(scores) - position)
        if stretch.text is not None and stretch.shapes is not None:
            scored = ScoredText(stretch.text[:taken], stretch.shapes[:taken], scores[position : position + taken])
            yield scored, stretch.end if taken == stretch.length else End.NOTHING
            stretch.text, stretch.shapes = stretch.text[taken:], stretch.shapes[taken:]
        stretch.length -= taken
        position += taken
        if not stretch.length:
            waiting.popleft()
