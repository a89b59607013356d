"""A list of sentences is a list, and shows its trees."""

from __future__ import annotations

from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence_list import SentenceList

RAIN = Sentence.from_words(["It", "rains"], head=[2, 0], deprel=["nsubj", "root"])


def test_it_is_a_list_that_prints_trees() -> None:
    sentences = SentenceList([RAIN, RAIN])
    assert sentences == [RAIN, RAIN]
    assert str(sentences) == f"{RAIN}\n\n{RAIN}"
    assert "rains" in str(sentences)
    assert str(SentenceList()) == ""


def test_it_shows_pictures_in_a_notebook() -> None:
    assert SentenceList([RAIN, RAIN])._repr_html_().count('<img alt="It rains"') == 2


def test_it_becomes_a_data_frame() -> None:
    assert list(SentenceList([RAIN, RAIN]).to_pandas()["form"]) == ["It", "rains"] * 2
