"""Sentences: words among the rows, text, comments and MISC attributes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pointree.errors import UsageError
from pointree.treebank.sentence import Sentence, Token, get_misc, set_misc


@pytest.fixture
def sentence() -> Sentence:
    """Spanish "vámonos al mar." with two ranges and an empty node."""
    return Sentence(
        [
            Token("1-2", "Vámonos"),
            Token("1", "Vamos", head=0, deprel="root"),
            Token("2", "nos", head=1, deprel="obj"),
            Token("2.1", "empty"),
            Token("3-4", "al"),
            Token("3", "a", head=5, deprel="case"),
            Token("4", "el", head=5, deprel="det"),
            Token("5", "mar", head=1, deprel="obl", misc="SpaceAfter=No"),
            Token("6", ".", head=1, deprel="punct"),
        ],
        ["# sent_id = s1", "# newpar", "# note=a = b"],
    )


def test_words_are_rows_without_ranges_and_empty_nodes(sentence: Sentence) -> None:
    assert sentence.forms == ["Vamos", "nos", "a", "el", "mar", "."]
    assert sentence.heads == [0, 1, 5, 5, 1, 1]
    assert sentence.deprels == ["root", "obj", "case", "det", "obl", "punct"]
    assert len(sentence) == 6
    assert sentence.words is sentence.words


def test_kinds_of_rows(sentence: Sentence) -> None:
    kinds = [(token.is_range, token.is_word, token.is_empty) for token in sentence.tokens[:4]]
    assert kinds == [(True, False, False), (False, True, False), (False, True, False), (False, False, True)]


def test_text_is_joined_from_surface_tokens(sentence: Sentence) -> None:
    assert sentence.text == "Vámonos al mar."


def test_text_of_the_comment_comes_first(sentence: Sentence) -> None:
    sentence.set_meta("text", "¡Vámonos!")
    assert sentence.text == "¡Vámonos!"
    assert sentence.comments[-1] == "# text = ¡Vámonos!"


def test_text_of_a_range_without_space_after() -> None:
    tokens = [Token("1-2", "du", misc="SpaceAfter=No"), Token("1", "de"), Token("2", "le"), Token("3", "!")]
    assert Sentence(tokens).text == "du!"


def test_meta(sentence: Sentence) -> None:
    assert sentence.sent_id == "s1"
    assert sentence.meta("newpar") == ""
    assert sentence.meta("note") == "a = b"
    assert sentence.meta("text") is None


def test_set_meta_keeps_the_place(sentence: Sentence) -> None:
    sentence.set_meta("sent_id", "s2")
    assert sentence.comments[0] == "# sent_id = s2"
    assert len(sentence.comments) == 3


def test_set_meta_refuses_a_second_line(sentence: Sentence) -> None:
    with pytest.raises(UsageError, match=r"^text: a comment is one line, found 'a\\nb'$"):
        sentence.set_meta("text", "a\nb")


def test_copy_is_independent(sentence: Sentence) -> None:
    copy = sentence.copy()
    assert copy == sentence
    copy.words[0].head = 5
    copy.comments.append("# more")
    assert sentence.words[0].head == 0
    assert len(sentence.comments) == 3
    assert copy != sentence


def test_from_words() -> None:
    sentence = Sentence.from_words(["Hi", "you"], upos=["INTJ", "PRON"], head=[0, 1], deprel=["root", "vocative"])
    assert [token.id for token in sentence.tokens] == ["1", "2"]
    assert sentence.words[1] == Token("2", "you", upos="PRON", head=1, deprel="vocative")
    assert sentence.text == "Hi you"


def test_from_words_of_nothing() -> None:
    assert len(Sentence.from_words([])) == 0
    assert Sentence.from_words([]).text == ""


def test_from_words_needs_one_value_a_word() -> None:
    with pytest.raises(UsageError, match=r"^upos: expected 2 values, one a word, found 1$"):
        Sentence.from_words(["Hi", "you"], upos=["INTJ"])


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb", "a\r"])
def test_from_words_refuses_what_a_file_cannot_hold(form: str) -> None:
    with pytest.raises(UsageError, match=r"^word 2: expected text without tabs and line ends, found "):
        Sentence.from_words(["Hi", form])


def test_from_words_refuses_columns_that_a_file_cannot_hold() -> None:
    with pytest.raises(UsageError, match=r"^xpos of word 1: expected text without tabs and line ends, found ''$"):
        Sentence.from_words(["Hi"], xpos=[""])


def test_misc() -> None:
    token = Token("1", "a")
    assert get_misc(token, "SpaceAfter") is None
    set_misc(token, "SpaceAfter", "No")
    set_misc(token, "HeadProb", "0.9")
    assert token.misc == "SpaceAfter=No|HeadProb=0.9"
    set_misc(token, "SpaceAfter", "Yes")
    assert token.misc == "SpaceAfter=Yes|HeadProb=0.9"
    assert get_misc(token, "HeadProb") == "0.9"
    set_misc(token, "SpaceAfter", None)
    set_misc(token, "Absent", None)
    assert token.misc == "HeadProb=0.9"
    set_misc(token, "HeadProb", None)
    assert token.misc == "_"


def test_misc_without_a_value() -> None:
    assert get_misc(Token("1", "a", misc="Bare|Key=Value"), "Bare") == ""


@pytest.mark.parametrize("value", ["a|b", "a\tb", ""])
def test_misc_refuses_what_would_break_the_column(value: str) -> None:
    with pytest.raises(UsageError, match=r"^Key: MISC cannot hold the value "):
        set_misc(Token("1", "a"), "Key", value)


def test_probabilities_are_numbers_or_missing() -> None:
    token = Token("1", "x", misc="HeadProb=0.9000|DeprelProb=high")
    assert (token.head_prob, token.deprel_prob) == (0.9, None)
    assert Token("1", "x", misc="HeadProb=2").head_prob is None
    assert Token("1", "x").head_prob is None


def test_printing_a_sentence_draws_its_tree(sentence: Sentence) -> None:
    drawing = str(sentence)
    assert len(drawing.splitlines()) == len(sentence)
    assert drawing.startswith("●─►")
    assert not drawing.endswith("\n")
    assert str(Sentence([])) == ""


def test_a_notebook_shows_a_picture(sentence: Sentence) -> None:
    picture = ElementTree.fromstring(sentence._repr_svg_())
    assert picture.tag.endswith("svg")
    assert Sentence.from_words(["no", "heads"])._repr_svg_()


def test_a_sentence_as_a_dictionary(sentence: Sentence) -> None:
    values = sentence.to_dict()
    assert [token["head"] for token in values["tokens"]] == sentence.heads
    assert values["sent_id"] == "s1"
