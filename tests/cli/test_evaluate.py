"""`pointree evaluate`: files and models, the JSON contract, and what cannot be scored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pointree
from pointree.cli.evaluate import without_trees
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence

Run = Callable[..., Any]


@pytest.fixture
def chain(ewt: Path, tmp_path: Path) -> Path:
    """The sentences of the fixture, each word a `dep` of the word before it."""
    sentences = list(read_conllu(ewt))
    for sentence in sentences:
        for number, word in enumerate(sentence.words):
            word.head, word.deprel = number, "dep" if number else "root"
    path = tmp_path / "chain.conllu"
    path.write_text("".join(map(format_sentence, sentences)), encoding="utf-8", newline="")
    return path


def test_json_contract(run: Run, ewt: Path) -> None:
    code, out, err = run("evaluate", ewt, ewt, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert {"uas", "las", "clas", "words", "sentences", "no_punct", "by_deprel"} <= set(found)
    assert (found["uas"], found["las"], found["clas"]) == (100, 100, 100)
    assert found["no_punct"] == {"uas": 100, "las": 100}
    assert (found["words"], found["sentences"]) == (1139, 60)


def test_tables(run: Run, ewt: Path, chain: Path) -> None:
    code, out, err = run("evaluate", ewt, chain)
    assert (code, err) == (0, "")
    scores = json.loads(run("evaluate", ewt, chain, "--json").out)
    assert "1,139 words in 60 sentences" in out
    for expected in (scores["uas"], scores["las"], scores["clas"], scores["no_punct"]["uas"]):
        assert f"{expected:.2f}" in out
    assert 0 < scores["las"] < scores["uas"] < 100
    for label in scores["by_deprel"]:
        assert label in out


def test_a_model_never_sees_the_trees(run: Run, ewt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in answers with the right trees, but only to sentences that have none."""
    gold = {sentence.sent_id: sentence for sentence in read_conllu(ewt)}

    def stream(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:
            assert {word.head for word in sentence.words} == {None}
            assert {(word.deprel, word.deps) for word in sentence.words} == {("_", "_")}
            yield gold[sentence.sent_id]

    def load(_model: str, *, precision: str, device: str) -> SimpleNamespace:
        assert (precision, device) == ("fp32", "cpu"), "figures are the same on all machines"
        return SimpleNamespace(stream=stream)

    monkeypatch.setitem(vars(pointree), "load", load)
    code, out, err = run("evaluate", ewt, "--model", "somewhere", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["las"] == 100


def test_removing_trees_leaves_the_original_alone(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    before = [format_sentence(sentence) for sentence in sentences]
    for bare in without_trees(sentences):
        assert set(bare.heads) == {None}
    assert [format_sentence(sentence) for sentence in sentences] == before


@pytest.mark.parametrize(("extra", "found"), [([], "neither"), (["x", "--model", "y"], "both")])
def test_a_system_or_a_model_is_needed(run: Run, ewt: Path, extra: list[str], found: str) -> None:
    message = f"evaluate: expected either a SYSTEM file or --model MODEL, found {found}"
    assert run("evaluate", ewt, *extra) == (2, "", f"pointree: error: {message}\n")


def test_bad_files_are_one_line(run: Run, ewt: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.touch()
    other = tmp_path / "other.conllu"
    other.write_text("1\tother\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for args in [(ewt, empty), (empty, ewt), (ewt, other), (ewt, tmp_path / "none"), (tmp_path, ewt)]:
        code, out, err = run("evaluate", *args)
        assert (code, out) == (2, "")
        assert err.startswith("pointree: error: ")
        assert err.count("\n") == 1
        assert str(tmp_path) in err
