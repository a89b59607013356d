"""Aligned plain columns."""

from __future__ import annotations

from hypothesis import given

from pointree.rendering.display import display_width
from pointree.rendering.table import draw_table
from pointree.treebank.sentence import Sentence

from .samples import JOHN, sentences


def test_an_example() -> None:
    assert draw_table(JOHN) == (
        "id  form      lemma     upos   head        deprel\n"
        "1   John      John      PROPN  4     play  nsubj\n"
        "2   and       and       CCONJ  3     Mary  cc\n"
        "3   Mary      Mary      PROPN  1     John  conj\n"
        "4   play      play      VERB   0     ROOT  root\n"
        "5   tennis    tennis    NOUN   4     play  obj\n"
        "6   together  together  ADV    4     play  advmod\n"
    )


def test_missing_and_impossible_heads() -> None:
    lines = draw_table(Sentence.from_words(["a", "b"], head=[None, 7])).splitlines()
    assert [line.split()[4] for line in lines[1:]] == ["_", "7"]


def test_only_the_header_is_coloured() -> None:
    header, *lines = draw_table(JOHN, colour=True).splitlines()
    assert header.startswith("\x1b[1mid")
    assert header.endswith("\x1b[0m")
    assert lines == draw_table(JOHN).splitlines()[1:]


@given(sentences())
def test_columns_are_aligned_in_any_sentence(sentence: Sentence) -> None:
    for word in sentence.words:
        word.deprel = "§"
    header, *lines = draw_table(sentence).splitlines()
    assert len(lines) == len(sentence)
    assert {display_width(line[: line.rindex("§")]) for line in lines} <= {display_width(header) - len("deprel")}
