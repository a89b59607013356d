"""The English model inside the package: the first thing that a new user meets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pointree
from pointree.evaluation import evaluate
from pointree.models import resolve_model
from pointree.treebank.conllu import read_conllu
from pointree.treebank.validity import tree_faults


def test_the_sentence_of_the_readme_is_parsed_from_raw_text() -> None:
    [sentence] = pointree.load("en", precision="fp32").parse_text("John and Mary play tennis together.")
    assert sentence.forms == ["John", "and", "Mary", "play", "tennis", "together", "."]
    assert sentence.heads == [4, 3, 1, 0, 4, 4, 4]
    assert sentence.deprels == ["nsubj", "cc", "conj", "root", "obj", "advmod", "punct"]


def test_every_sentence_becomes_one_tree(ewt: Path) -> None:
    for sentence in pointree.load("en", precision="fp32").parse(read_conllu(ewt)):
        assert tree_faults(sentence.heads) == []


def test_it_stays_small() -> None:
    assert sum(path.stat().st_size for path in resolve_model("en").iterdir()) < 30_000_000


def test_it_is_as_good_as_its_card_says(shared_data: Path) -> None:
    gold = list(read_conllu(shared_data / "ud-2.6" / "en_ewt" / "en_ewt-ud-test.conllu"))
    card = (resolve_model("en") / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^\| gold tokens, predicted tags \|.* ([0-9.]+) \| [0-9.]+ \|$", card, re.M)
    assert found is not None
    scores = evaluate(gold, pointree.load("en", precision="fp32").parse(gold, retag=True))
    assert scores.las == pytest.approx(float(found[1]), abs=0.05)
