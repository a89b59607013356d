"""Scores of a system on dev and test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pointree.release.scores import MEASURES, score_splits
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence


class Oracle:
    """Knows the right answer from raw text; with gold words, it hangs all words on the first."""

    def __init__(self, gold: Path) -> None:
        self.gold = gold
        self.saw: list[Sentence] = []

    def from_text(self, text: str) -> Iterable[Sentence]:
        assert text
        return read_treebank(self.gold)

    def from_words(self, sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        for sentence in sentences:
            self.saw.append(sentence.copy())
            for word in sentence.words:
                word.head, word.deprel = (1 if word.id != "1" else 0), "dep"
            yield sentence


def test_raw_text_and_gold_words_are_scored_by_the_official_measures(ewt: Path) -> None:
    told: list[str] = []
    oracle = Oracle(ewt)
    found = score_splits({"dev": ewt}, oracle, told.append)
    assert found["dev"]["raw"] == dict.fromkeys(MEASURES, 100.0)
    assert found["dev"]["words_per_s"] > 0
    assert found["dev"]["gold"]["words"] == 100.0
    assert found["dev"]["gold"]["upos"] == 0.0
    assert found["dev"]["gold"]["las"] < 10
    assert told == ["dev, raw text", "dev, gold tokens"]


def test_the_system_sees_no_annotation(ewt: Path) -> None:
    oracle = Oracle(ewt)
    score_splits({"dev": ewt}, oracle)
    for sentence in oracle.saw:
        for word in sentence.words:
            assert (word.head, word.deprel, word.upos, word.lemma, word.feats) == (None, "_", "_", "_", "_")
