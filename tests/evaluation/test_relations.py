from __future__ import annotations

import pytest

from pointree.evaluation.relations import (
    is_content,
    is_functional,
    is_punctuation,
    universal_deprel,
    universal_feats,
)
from pointree.treebank.sentence import Token


def test_universal_deprel_has_no_subtype() -> None:
    assert universal_deprel("nsubj:pass") == "nsubj"
    assert universal_deprel("nsubj") == "nsubj"


@pytest.mark.parametrize("label", ["aux", "case", "cc", "clf", "cop", "det", "mark", "punct", "dobj"])
def test_not_content(label: str) -> None:
    assert not is_content(label)


@pytest.mark.parametrize("label", ["nsubj", "root", "flat", "dep"])
def test_content(label: str) -> None:
    assert is_content(label)


def test_functional() -> None:
    labels = ["aux", "case", "cc", "clf", "cop", "det", "mark", "punct", "nsubj", "root", "dobj"]
    assert [label for label in labels if is_functional(label)] == labels[:7]
    assert not any(is_content(label) for label in labels[:7])


def test_universal_feats_are_sorted_and_without_others() -> None:
    assert universal_feats("Typo=Yes|Number=Sing|Case=Nom") == "Case=Nom|Number=Sing"
    assert universal_feats("_") == ""


@pytest.mark.parametrize(
    ("upos", "xpos", "deprel", "expected"),
    [
        ("PUNCT", ".", "punct", True),
        ("SYM", ":", "punct", False),  # a universal tag decides
        ("NOUN", ",", "punct", False),
        ("_", ",", "punct", True),  # PTB
        ("_", "-LRB-", "punct", False),  # brackets count on PTB
        (",", ",", "punct", True),  # PTB in CoNLL-X: the same tag in both columns
        ("``", "_", "punct", True),
        ("PU", "PU", "P", True),  # CTB
        ("_", "NN", "punct", False),
        ("_", "_", "punct", True),  # no tags at all
        ("_", "_", "nsubj", False),
    ],
)
def test_punctuation_by_the_best_evidence(upos: str, xpos: str, deprel: str, expected: bool) -> None:
    assert is_punctuation(Token("1", "x", upos=upos, xpos=xpos, deprel=deprel)) is expected
