"""The English model inside the package: the first thing that a new user meets."""

from __future__ import annotations

from pathlib import Path

import pointree
from pointree.models import resolve_model
from pointree.treebank.validity import tree_faults


def test_the_sentence_of_the_readme_is_parsed_from_raw_text() -> None:
    [sentence] = pointree.load("en", precision="fp32").parse_text("John and Mary play tennis together.")
    assert sentence.forms == ["John", "and", "Mary", "play", "tennis", "together", "."]
    assert sentence.heads == [4, 3, 1, 0, 4, 4, 4]
    assert sentence.deprels == ["nsubj", "cc", "conj", "root", "obj", "advmod", "punct"]


def test_every_sentence_becomes_one_tree(ewt: Path) -> None:
    from pointree.treebank.conllu import read_conllu

    for sentence in pointree.load("en", precision="fp32").parse(read_conllu(ewt)):
        assert tree_faults(sentence.heads) == []


def test_it_stays_small() -> None:
    assert sum(path.stat().st_size for path in resolve_model("en").iterdir()) < 30_000_000
