"""Where each token of a sentence stands in its text."""

from __future__ import annotations

from pointree.treebank.sentence import Sentence, Token

__all__ = ["token_spans"]

Span = tuple[int, int]


def token_spans(sentence: Sentence) -> dict[str, Span]:
    """The characters `text[start:end]` of each word and range by id, or nothing when text and forms differ.

    The words of a range share its characters as they spell them ("do" and "n't" in "don't"); where they do
    not spell it ("de" and "el" in "del"), each of them has the span of the whole range.
    """
    text = sentence.text
    spans: dict[str, Span] = {}
    position = 0
    for token, words in _surface(sentence):
        while position < len(text) and text[position].isspace() and not text.startswith(token.form, position):
            position += 1
        if not text.startswith(token.form, position):
            return {}
        start, position = position, position + len(token.form)
        spans[token.id] = (start, position)
        spelled = "".join(word.form for word in words) == token.form
        for word in words:
            spans[word.id] = (start, start + len(word.form)) if spelled else (start, position)
            start += len(word.form) if spelled else 0
    return spans


def _surface(sentence: Sentence) -> list[tuple[Token, list[Token]]]:
    """The tokens that make up the text, each with the words it covers if it is a range."""
    surface: list[tuple[Token, list[Token]]] = []
    covered = 0
    for token in sentence.tokens:
        if token.is_range:
            covered = int(token.id.partition("-")[2])
            surface.append((token, []))
        elif token.is_word and int(token.id) <= covered:
            surface[-1][1].append(token)
        elif token.is_word:
            surface.append((token, []))
    return surface
