"""`pointree.analyse`: files and sentences, and the names of systems."""

from __future__ import annotations

from pathlib import Path

import pytest

import pointree
from pointree.analysis.run import name_systems
from pointree.errors import InputError, UsageError
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence


def test_files_and_sentences_give_the_same(ewt: Path) -> None:
    from_files = pointree.analyse(ewt, {"a": ewt, "b": str(ewt)}, resamples=5)
    assert (from_files.gold, from_files.systems) == ("ewt.conllu", ("a", "b"))
    sentences = list(read_conllu(ewt))
    from_sentences = pointree.analyse(iter(sentences), {"a": sentences, "b": ewt}, resamples=5)
    assert from_sentences.gold == "gold"
    assert from_sentences.to_dict() | {"gold": "ewt.conllu"} == from_files.to_dict()


def test_files_without_names(ewt: Path) -> None:
    assert pointree.analyse(ewt, [ewt]).systems == ("ewt",)


def test_sentences_that_are_no_trees_are_counted() -> None:
    gold = Sentence.from_words(["a", "b"], head=[0, 1], deprel=["root", "dep"])
    cycle = Sentence.from_words(["a", "b"], head=[2, 1], deprel=["dep", "dep"])
    assert pointree.analyse([gold], {"x": [gold], "y": [cycle]}, resamples=5).non_trees == (0, 0, 1)


def test_labels_can_be_compared_as_a_whole() -> None:
    gold = Sentence.from_words(["a", "b"], head=[0, 1], deprel=["root", "obl:arg"])
    parsed = Sentence.from_words(["a", "b"], head=[0, 1], deprel=["root", "obl"])
    lax, strict = (pointree.analyse([gold], {"x": [parsed]}, subtypes=subtypes) for subtypes in (False, True))
    assert (lax.scores[0].las, strict.scores[0].las, strict.subtypes) == (100.0, 50.0, True)


def test_names_of_systems() -> None:
    named = name_systems([("a", Path("x/t.conllu")), (None, Path("y/u.conllu"))])
    assert named == {"a": Path("x/t.conllu"), "u": Path("y/u.conllu")}
    alike = [(None, Path("x/test.conllu")), (None, Path("y/test.conllu"))]
    assert list(name_systems(alike)) == ["x/test", "y/test"]
    with pytest.raises(UsageError, match=r"two systems are called a: x and y; name them \(NAME=FILE\)"):
        name_systems([("a", Path("x")), ("a", Path("y"))])
    with pytest.raises(UsageError, match=r"two systems are called x: x\.conllu and x\.conllu; name them \(NAME=FILE\)"):
        name_systems([(None, Path("x.conllu"))] * 2)


def test_faults_of_the_user(ewt: Path) -> None:
    with pytest.raises(UsageError, match="expected one system at least, found none"):
        pointree.analyse(ewt, {})
    with pytest.raises(InputError, match="gold: no sentences found"):
        pointree.analyse([], {"x": ewt})
    with pytest.raises(InputError, match=r"x: expected the 60 sentences of .*ewt\.conllu, found 0"):
        pointree.analyse(ewt, {"x": []})
