"""The English models inside the package: the first thing that a new user meets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pointree
from pointree.evaluation import evaluate
from pointree.evaluation.raw_text import raw_text
from pointree.models.registry import resolve_model
from pointree.models.summary import model_files
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence
from pointree.treebank.validity import tree_faults

RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "results" / "english"
MOST_BYTES = {"en": 40_000_000, "en-fast": 8_000_000}

by_name = pytest.mark.parametrize("name", MOST_BYTES)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


@by_name
def test_the_sentence_of_the_readme_is_parsed_from_raw_text(name: str) -> None:
    [sentence] = pointree.load(name).parse_text("John and Mary play tennis together.")
    assert sentence.forms == ["John", "and", "Mary", "play", "tennis", "together", "."]
    assert sentence.heads == [4, 3, 1, 0, 4, 4, 4]
    assert sentence.deprels == ["nsubj", "cc", "conj", "root", "obj", "advmod", "punct"]
    assert [word.upos for word in sentence.words] == ["PROPN", "CCONJ", "PROPN", "VERB", "NOUN", "ADV", "PUNCT"]


@by_name
def test_words_that_earlier_models_misread(name: str) -> None:
    """`iPhone` was cut, `BBC` became `Bbc`, and the second sentence was lost."""
    text = "My iPhone shows the BBC. It was made by engineers who didn't sleep."
    first, second = pointree.load(name).parse_text(text)
    assert first.forms == ["My", "iPhone", "shows", "the", "BBC", "."]
    assert [word.lemma for word in first.words][2:5] == ["show", "the", "BBC"]
    if name == "en":  # en-fast takes it for a common noun
        assert first.words[1].lemma == "iPhone"
    assert second.forms[-4:] == ["did", "n't", "sleep", "."]
    assert [(word.start, word.end) for word in first.words][1] == (3, 9)


@pytest.mark.slow
@by_name
def test_every_sentence_becomes_one_tree(ewt: Path, name: str) -> None:
    for sentence in pointree.load(name).parse(read_conllu(ewt)):
        assert tree_faults(sentence.heads) == []


@by_name
def test_it_stays_small(name: str) -> None:
    size = sum(path.stat().st_size for path in model_files(resolve_model(name)))
    assert size == pytest.approx(recorded(name)["size"], abs=10_000)  # of the card, which was written later
    assert size < MOST_BYTES[name]


@pytest.fixture
def gold(shared_data: Path) -> list[Sentence]:
    return list(read_conllu(shared_data / "ud-2.6" / "en_ewt" / "en_ewt-ud-test.conllu"))


@pytest.mark.slow
@by_name
def test_it_is_as_good_as_its_record_says(gold: list[Sentence], name: str) -> None:
    scores = evaluate(gold, pointree.load(name).parse(gold, retag=True)).scores
    for measure, expected in recorded(name)["test"]["gold"].items():
        assert scores[measure].f1 == pytest.approx(expected, abs=0.05)


@pytest.mark.slow
@by_name
def test_it_is_as_good_from_raw_text(gold: list[Sentence], name: str) -> None:
    scores = evaluate(gold, pointree.load(name).parse_text(raw_text(gold, "gold"))).scores
    for measure, expected in recorded(name)["test"]["raw"].items():
        assert scores[measure].f1 == pytest.approx(expected, abs=0.05)
