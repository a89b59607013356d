"""Offsets: every token of any text knows exactly where it stands in the original document."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable, Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from pointree.text.cleaning import clean
from pointree.text.reading import Segmenter, segment_text
from pointree.text.udpipe import TextModel
from pointree.treebank.sentence import Sentence, Token

from ..text.segmenters import random_segmenter

PARTS = (
    "Hello", "can't", "U.S.", "e\u0301", "o\u0308\u0323", "a\u0327\u0301", "=\u0338", "\u1112\u1161\u11ab", "한국어",
    "日本語。", "\u0e19\u0e49\u0e33", "\u0b47\u0b3e", "क्षि", "שָׁלוֹם", "\u200f", "\u202e", "😀", "👩\u200d👩\u200d👧",
    "🏴\U000e0067\U000e007f", "\u212b", "\u0301", "\u0344", "\u0f73", "\x00", "\x1f", "\ufeff", "\ufffd", "\u200b",
    " ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\n", "\r\n", "\r", "\x0b", "\x85", "\u2028", "\u2029", "\n\n",
    "\n \n", ".", "...", "!?", ",", "(", ")", '"', "’", "-", "—", "#", "_", "|", "=", "1,000.5", "1 000", "http://a.b/c?d=e",
    "x@y.org", "ﬁ", "\u00ad", "Å", "iPhone", "BBC", "z" * 50,
)  # fmt: skip


def ugly_texts(count: int = 1000) -> Iterator[str]:
    """Texts of everything that makes offsets hard, always the same."""
    rng = random.Random(24)
    for number in range(count):
        text = "".join(rng.choices(PARTS, k=rng.randint(1, 30)))
        yield ("\ufeff" if number % 7 == 0 else "") + text


def cleaned(text: str) -> str:
    """A part of a document after the cleaning that the guide documents."""
    return " ".join("".join(part.text for part in clean(["\n", text]))[1:].split())


def surface(sentence: Sentence) -> Iterator[Token]:
    covered = 0
    for token in sentence.tokens:
        if token.is_range or int(token.id) > covered:
            covered = int(token.id.partition("-")[2] or token.id)
            yield token


def check(document: str, sentences: Iterable[Sentence]) -> None:
    position, end = 0, 0
    for sentence in sentences:
        tokens = list(surface(sentence))
        assert (sentence.start, sentence.end) == (tokens[0].start, tokens[-1].end)
        for token in tokens:
            assert token.start is not None
            assert token.end is not None
            assert position <= token.start < token.end <= len(document)
            assert cleaned(document[token.start : token.end]) == token.form
            assert unicodedata.is_normalized("NFC", token.form)
            assert not _visible(document, position, token.start)
            position = token.end
        first, end = 0, 0
        for token in sentence.tokens:
            if token.is_range:
                first, end = (int(part) for part in token.id.split("-"))
                whole = token
            elif first <= int(token.id) <= end:
                assert (token.start, token.end) == (whole.start, whole.end)
    assert not _visible(document, position, len(document))


def _visible(document: str, start: int, end: int) -> str:
    """What stands between tokens and is neither white space nor dropped."""
    between = document[start:end]
    if start == 0:
        between = between.removeprefix("\ufeff")
    return "".join(char for char in between if not char.isspace() and unicodedata.category(char) != "Cc")


def segmented(text: str, model: Segmenter) -> Iterator[Sentence]:
    return segment_text(text, model)


def test_a_thousand_ugly_texts(text_model: TextModel) -> None:
    for text in ugly_texts():
        check(text, segmented(text, text_model))


def test_a_segmenter_over_characters() -> None:
    for number, text in enumerate(ugly_texts()):
        check(text, segmented(text, random_segmenter(number)))


characters = st.characters(exclude_categories=["Cs"])


@given(text=st.one_of(st.text(characters, max_size=40), st.lists(st.sampled_from(PARTS), max_size=12).map("".join)))
@settings(max_examples=200)
def test_any_text(text_model: TextModel, text: str) -> None:
    check(text, segmented(text, text_model))
