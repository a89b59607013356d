"""Tokens of another tokeniser find their place in the document."""

from __future__ import annotations

from pointree.text.cleaning import CleanText, clean
from pointree.text.placing import Placed
from pointree.treebank.sentence import Sentence, Token


def text_of(document: str) -> CleanText:
    first, *others = clean([document])
    for other in others:
        first += other
    return first


def test_words_of_a_multiword_token_have_its_range() -> None:
    placed = Placed(text_of("va  del\tx"))
    sentence = Sentence([Token("1", "va"), Token("2-3", "del"), Token("2", "de"), Token("3", "el"), Token("4", "x")])
    placed.place(sentence)
    assert [(token.start, token.end) for token in sentence.tokens] == [(0, 2), (4, 7), (4, 7), (4, 7), (8, 9)]
    assert (sentence.start, sentence.end) == (0, 9)


def test_white_space_inside_a_token() -> None:
    placed = Placed(text_of("1 \n 000 x"))
    sentence = Sentence.from_words(["1 000", "x"])
    placed.place(sentence)
    assert [(word.start, word.end) for word in sentence.words] == [(0, 7), (8, 9)]


def test_letters_that_cannot_be_separated_are_shown_as_one() -> None:
    placed = Placed(text_of("a\u0327\u0301b c"))
    assert placed.shown == "\u00e1b c"
    placed.place(first := Sentence.from_words(["\u00e1"]))
    assert placed.rest().text == "b c"
    placed.place(second := Sentence.from_words(["b", "c"]))
    assert first.words[0].form == "\u00e1\u0327"
    assert [(word.start, word.end) for word in (*first.words, *second.words)] == [(0, 3), (3, 4), (5, 6)]
