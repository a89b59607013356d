"""Where the tokens and words of a text stand, counted in characters other than white space."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from pointree.treebank.sentence import Sentence, Token

__all__ = ["PlacedText", "PlacedWord", "Span", "surface_forms"]


class Span(NamedTuple):
    """A stretch of characters, from `start` up to but not including `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and where it stands.

    Attributes:
        token: The row of the word.
        span: The characters of the word or, inside a multiword token, of that whole token.
        in_range: Whether the word is part of a multiword token.
        head: The index of its head in the list of all words of the text, -1 for ROOT.
    """

    token: Token
    span: Span
    in_range: bool
    head: int

    @property
    def comparable_form(self) -> str:
        """The form in lower case; a token has lost its spaces, a word inside a multiword token keeps them."""
        form = self.token.form if self.in_range else _without_spaces(self.token.form)
        return form.lower()


@dataclass(slots=True)
class PlacedText:
    """The tokens, words and sentences of a text with their places."""

    tokens: list[Span] = field(default_factory=list)
    words: list[PlacedWord] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> PlacedText:
        """Place sentences that follow each other and whose words all have heads."""
        placed = cls()
        for sentence in sentences:
            placed._add(sentence)
        return placed

    def _add(self, sentence: Sentence) -> None:
        start = self.sentences[-1].end if self.sentences else 0
        first_word = len(self.words)
        position = start
        range_end = 0
        for token in sentence.tokens:
            if token.is_empty:
                continue
            in_range = not token.is_range and int(token.id) <= range_end
            if not in_range:
                self.tokens.append(Span(position, position + len(_without_spaces(token.form))))
                position = self.tokens[-1].end
            if token.is_range:
                range_end = int(token.id.partition("-")[2])
            else:
                head = first_word + token.head - 1 if token.head else -1
                self.words.append(PlacedWord(token, self.tokens[-1], in_range, head))
        self.sentences.append(Span(start, position))


def surface_forms(sentence: Sentence) -> list[str]:
    """Return the forms of the surface tokens of a sentence, without white space inside."""
    forms = []
    range_end = 0
    for token in sentence.tokens:
        if token.is_range:
            range_end = int(token.id.partition("-")[2])
        elif token.is_empty or int(token.id) <= range_end:
            continue
        forms.append(_without_spaces(token.form))
    return forms


@lru_cache(maxsize=65536)
def _without_spaces(form: str) -> str:
    """Return a form without its space characters, of which Unicode has many (category Zs)."""
    return "".join(char for char in form if unicodedata.category(char) != "Zs")
