"""pointree's segmenter as spaCy's tokeniser: every character stays, words are those of pointree."""

from __future__ import annotations

from typing import Any

import pytest

spacy = pytest.importorskip("spacy")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from spacy.tokens import Doc  # noqa: E402

from pointree.integrations.spacy.alignment import Surface  # noqa: E402
from pointree.integrations.spacy.doc_parse import find_words  # noqa: E402
from pointree.integrations.spacy.tokenizer import _to_doc  # noqa: E402
from pointree.treebank.sentence import Sentence, Token  # noqa: E402

from .conftest import TEXTS  # noqa: E402


@pytest.mark.parametrize("text", TEXTS)
def test_no_character_is_lost(raw: Any, text: str) -> None:
    doc = raw(text)
    assert doc.text == text
    for sentence in doc.sents:
        assert [token for token in sentence if token.head.i == token.i] == [sentence.root]


@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_is_kept(raw: Any, text: str) -> None:
    doc = raw.make_doc(text)
    assert doc.text == text
    assert all(len(token) for token in doc)


def test_white_space_is_kept_as_spacy_does_it(raw: Any) -> None:
    doc = raw.make_doc(" They  play\ntennis. ")
    assert [(token.text, token.whitespace_) for token in doc] == [
        (" ", ""),
        ("They", " "),
        (" ", ""),
        ("play", ""),
        ("\n", ""),
        ("tennis", ""),
        (".", " "),
    ]


def test_words_that_spell_a_multiword_token_are_tokens() -> None:
    rows = [
        *(Token("1-2", "don't", start=0, end=5), Token("1", "do", start=0, end=5), Token("2", "n't", start=0, end=5)),
        *(Token("3-4", "del", start=6, end=9), Token("3", "de", start=6, end=9), Token("4", "el", start=6, end=9)),
    ]
    doc = _to_doc(spacy.blank("en").vocab, "don't del", [Sentence(rows)])
    assert [token.text for token in doc] == ["do", "n't", "del"]
    assert find_words(doc) == [Surface(6, 9, ["de", "el"])]
    assert find_words(Doc.from_docs([doc, doc])) == [Surface(6, 9, ["de", "el"]), Surface(16, 19, ["de", "el"])]
    assert find_words(spacy.blank("en")("don't del")) is None


def test_pipe_takes_many_texts(raw: Any) -> None:
    assert [doc.text for doc in raw.pipe(TEXTS)] == TEXTS
