"""The English model inside the package: the first thing that a new user meets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pointree
from pointree.evaluation import evaluate
from pointree.models.registry import resolve_model
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, get_misc
from pointree.treebank.validity import tree_faults


def test_the_sentence_of_the_readme_is_parsed_from_raw_text() -> None:
    [sentence] = pointree.load("en", precision="fp32").parse_text("John and Mary play tennis together.")
    assert sentence.forms == ["John", "and", "Mary", "play", "tennis", "together", "."]
    assert sentence.heads == [4, 3, 1, 0, 4, 4, 4]
    assert sentence.deprels == ["nsubj", "cc", "conj", "root", "obj", "advmod", "punct"]


@pytest.mark.slow
def test_every_sentence_becomes_one_tree(ewt: Path) -> None:
    for sentence in pointree.load("en", precision="fp32").parse(read_conllu(ewt)):
        assert tree_faults(sentence.heads) == []


def test_it_stays_small() -> None:
    assert sum(path.stat().st_size for path in resolve_model("en").rglob("*") if path.is_file()) < 30_000_000


@pytest.fixture
def gold(shared_data: Path) -> list[Sentence]:
    return list(read_conllu(shared_data / "ud-2.6" / "en_ewt" / "en_ewt-ud-test.conllu"))


def las_of_card(row: str) -> float:
    card = (resolve_model("en") / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {row} \|.* ([0-9.]+) \| [0-9.]+ \|$", card, re.M)
    assert found is not None
    return float(found[1])


@pytest.mark.slow
def test_it_is_as_good_as_its_card_says(gold: list[Sentence]) -> None:
    scores = evaluate(gold, pointree.load("en", precision="fp32").parse(gold, retag=True))
    assert scores.las == pytest.approx(las_of_card("gold tokens, predicted tags"), abs=0.05)


@pytest.mark.slow
def test_it_is_as_good_from_raw_text(gold: list[Sentence]) -> None:
    parts = []
    for sentence in gold:
        if parts and any(comment.startswith(("# newpar", "# newdoc")) for comment in sentence.comments):
            parts.append("\n\n")
        parts.append(sentence.text or "")
        if get_misc(sentence.words[-1], "SpaceAfter") != "No":
            parts.append(" ")
    scores = evaluate(gold, pointree.load("en", precision="fp32").parse_text("".join(parts)))
    assert scores.las == pytest.approx(las_of_card("from raw text"), abs=0.05)
