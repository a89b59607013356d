"""Tokens are found in the text of their sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from pointree.rendering.offsets import token_spans
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, Token

from .samples import RICH, sentences


def with_text(text: str, *rows: tuple[str, str]) -> Sentence:
    return Sentence([Token(id_, form) for id_, form in rows], [f"# text = {text}"])


@pytest.mark.parametrize(
    ("sentence", "spans"),
    [
        (with_text("a  bc.", ("1", "a"), ("2", "bc"), ("3", ".")), {"1": (0, 1), "2": (3, 5), "3": (5, 6)}),
        (with_text("1 000 x", ("1", "1 000"), ("2", "x")), {"1": (0, 5), "2": (6, 7)}),
        (with_text("don't", ("1-2", "don't"), ("1", "do"), ("2", "n't")),
         {"1-2": (0, 5), "1": (0, 2), "2": (2, 5)}),
        (with_text("del x", ("1-2", "del"), ("1", "de"), ("2", "el"), ("2.1", "e"), ("3", "x")),
         {"1-2": (0, 3), "1": (0, 3), "2": (0, 3), "3": (4, 5)}),
        (with_text("a b", ("1", "a"), ("2", "c")), {}),
    ],
)  # fmt: skip
def test_align(sentence: Sentence, spans: dict[str, tuple[int, int]]) -> None:
    assert token_spans(sentence) == spans


def test_a_whole_sentence() -> None:
    assert token_spans(RICH) == {"1-2": (0, 5), "1": (0, 2), "2": (2, 5), "3": (6, 7)}


@given(sentences())
def test_forms_without_a_text_comment_are_found(sentence: Sentence) -> None:
    spans = token_spans(sentence)
    assert [sentence.text[slice(*spans[word.id])] for word in sentence.words] == sentence.forms


def test_all_of_english_is_found(ewt: Path) -> None:
    for sentence in read_conllu(ewt):
        spans = token_spans(sentence)
        assert spans
        for token in sentence.tokens:
            if token.id in spans:
                assert sentence.text[slice(*spans[token.id])] == token.form
