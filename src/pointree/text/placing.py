"""Tell the tokens of another tokeniser, which says nothing of it, where they stand in the document."""

from __future__ import annotations

import numpy as np

from pointree.text.cleaning import CleanText
from pointree.treebank.sentence import Sentence, Token

__all__ = ["Placed"]


class Placed:
    """A piece of text, and how much of it the sentences that were found so far take up.

    `shown` is what the tokeniser gets to see: of characters that share their place in the document, the first. So it
    cannot separate them.
    """

    def __init__(self, text: CleanText) -> None:
        self._text = text
        self._position = 0
        shared = text.inseparable()
        self._kept = None
        self.shown = text.text
        if shared.any():
            self._kept = np.append(np.flatnonzero(~shared), len(text))
            self.shown = "".join(text.text[place] for place in self._kept[:-1])

    def place(self, sentence: Sentence) -> None:
        """Give a sentence, the next one of the text, and its tokens their `start` and `end`."""
        covered, surface = 0, sentence.tokens[0]
        for token in sentence.tokens:
            if token.is_range or int(token.id) > covered:
                covered = int(token.id.partition("-")[2] or token.id)
                surface = token
                self._place(token)
            else:
                token.start, token.end = surface.start, surface.end
        sentence.start, sentence.end = sentence.tokens[0].start, sentence.tokens[-1].end

    def _place(self, token: Token) -> None:
        first = self._position
        text = self.shown
        while first < len(text) and text[first].isspace() and not text.startswith(token.form, first):
            first += 1
        last = first + len(token.form)
        if text[first:last] != token.form:
            # White space inside a token is written as one space, however much there is.
            last, missing = first, sum(not char.isspace() for char in token.form)
            while missing and last < len(text):
                missing -= not text[last].isspace()
                last += 1
        self._position = last
        if self._kept is not None:
            first, last = int(self._kept[first]), int(self._kept[last])
            token.form = " ".join(self._text.text[first:last].split()) or token.form
        token.start, token.end = self._text.span(first, last)

    def rest(self) -> CleanText:
        """What follows the sentences that were placed."""
        position = self._position if self._kept is None else int(self._kept[self._position])
        return self._text[position:]
