"""Text to train a segmenter with: the sentences of a treebank put together again, with marks where things end."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.treebank.sentence import Sentence, Token, get_misc

__all__ = ["LabelledText", "Paragraph", "SurfaceToken", "label", "read_paragraphs", "vary"]

_BEGINS_PARAGRAPH = re.compile(r"#\s*(newpar|newdoc)\b")
_ESCAPES = {r"\s": " ", r"\t": "\t", r"\r": "\r", r"\n": "\n", r"\p": "|", r"\\": "\\"}
_ESCAPE = re.compile(r"\\[strnp\\]")


@dataclass(frozen=True, slots=True)
class SurfaceToken:
    """A token as it stands in text: what follows it, and its words if it stands for several."""

    form: str
    after: str
    words: tuple[str, ...] = ()


Paragraph = list[list[SurfaceToken]]
"""Sentences of tokens."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text, and of each character whether a token, a sentence and a multiword token end with it.

    *Shape:* ``labels`` is ``(n, 3)``.
    """

    text: str
    labels: NDArray[np.bool_]


def read_paragraphs(sentences: Iterable[Sentence]) -> tuple[list[Paragraph], int]:
    """The paragraphs of a treebank, and how many sentences were left out: their text is missing or has other tokens."""
    found: list[Paragraph] = [[]]
    left_out = 0
    for sentence in sentences:
        if any(_BEGINS_PARAGRAPH.match(comment) for comment in sentence.comments) and found[-1]:
            found.append([])
        tokens = _in_text(sentence)
        if tokens:
            found[-1].append(tokens)
        else:
            left_out += 1
    return [paragraph for paragraph in found if paragraph], left_out


def _in_text(sentence: Sentence) -> list[SurfaceToken]:
    """The surface tokens of a sentence with the white space that its text has after each; none if they differ."""
    text = sentence.meta("text")
    if not text:
        return []
    text = unicodedata.normalize("NFC", text)
    surface = list(_surface(sentence))
    tokens: list[SurfaceToken] = []
    position = 0
    for number, (token, words) in enumerate(surface):
        form = unicodedata.normalize("NFC", token.form)
        if not text.startswith(form, position):
            return []
        position += len(form)
        end = position
        while end < len(text) and text[end].isspace():
            end += 1
        after = text[position:end] if number < len(surface) - 1 else _after_sentence(token)
        tokens.append(SurfaceToken(form, after, tuple(unicodedata.normalize("NFC", word) for word in words)))
        position = end
    return tokens if position == len(text) else []


def _surface(sentence: Sentence) -> Iterator[tuple[Token, list[str]]]:
    last, words = 0, {word.id: word.form for word in sentence.words}
    for token in sentence.tokens:
        if token.is_range:
            first, last = (int(part) for part in token.id.split("-"))
            yield token, [words[str(number)] for number in range(first, last + 1)]
        elif token.is_word and int(token.id) > last:
            yield token, []


def _after_sentence(token: Token) -> str:
    if spaces := get_misc(token, "SpacesAfter"):
        found = _ESCAPE.sub(lambda match: _ESCAPES[match[0]], spaces)
        return "\n" if "\n" in found else " " if found.isspace() else ""
    return "" if get_misc(token, "SpaceAfter") == "No" else " "


def label(paragraph: Paragraph) -> LabelledText:
    """The text of a paragraph."""
    parts: list[str] = []
    ends: list[int] = []
    sentence_ends: list[int] = []
    multiword: list[int] = []
    n = 0
    for sentence in paragraph:
        for token in sentence:
            n += len(token.form)
            ends.append(n - 1)
            if token.words:
                multiword.append(n - 1)
            parts += (token.form, token.after)
            n += len(token.after)
        sentence_ends.append(ends[-1])
    text = "".join(parts).rstrip()
    labels = np.zeros((len(text), 3), dtype=bool)
    for column, places in enumerate((ends, sentence_ends, multiword)):
        labels[places, column] = True
    return LabelledText(text, labels)


def vary(paragraphs: Sequence[Paragraph], rng: random.Random) -> Iterator[Paragraph]:
    """The paragraphs as other writers might have set them, in their order.

    Some are joined. In some, lines are broken after so many characters, or after each sentence. Some sentences lose
    their last punctuation mark, or all their capitals.
    """
    number = 0
    while number < len(paragraphs):
        joined = list(paragraphs[number])
        number += 1
        while number < len(paragraphs) and rng.random() < 0.1:
            joined += paragraphs[number]
            number += 1
        varied = [_vary(sentence, rng) for sentence in joined]
        layout = rng.random()
        if layout < 0.06:
            varied = list(_wrapped(varied, rng.randint(50, 100)))
        elif layout < 0.12:
            varied = [[*tokens[:-1], _followed(tokens[-1], "\n")] for tokens in varied]
        yield varied


def _vary(tokens: list[SurfaceToken], rng: random.Random) -> list[SurfaceToken]:
    chance = rng.random()
    if chance < 0.03:
        return [SurfaceToken(token.form.lower(), token.after, token.words) for token in tokens]
    last = tokens[-1].form
    if chance < 0.08 and len(tokens) > 2 and not any(char.isalnum() for char in last) and tokens[-1].after:
        return [*tokens[:-2], _followed(tokens[-2], tokens[-1].after)]
    return tokens


def _wrapped(sentences: Iterable[list[SurfaceToken]], width: int) -> Iterator[list[SurfaceToken]]:
    column = 0
    for tokens in sentences:
        wrapped = []
        for token in tokens:
            column += len(token.form) + len(token.after)
            if column > width and token.after == " ":
                token, column = _followed(token, "\n"), 0
            wrapped.append(token)
        yield wrapped


def _followed(token: SurfaceToken, after: str) -> SurfaceToken:
    return SurfaceToken(token.form, after, token.words)
