"""`pointree evaluate`: files and models, the JSON contract, and what cannot be scored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pointree.cli.evaluate import TITLES
from pointree.ensemble import load_models
from pointree.evaluation import evaluate
from pointree.evaluation.tally import SCORES
from pointree.options import ParseOptions
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


def test_every_score_has_a_title() -> None:
    assert list(TITLES) == list(SCORES)


def test_the_table_shows_all_scores_in_80_columns(
    run: Run, ewt: Path, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.cli.console._PIPE_WIDTH", 80)
    lines = run("evaluate", ewt, chain).out.splitlines()
    assert max(map(len, lines)) <= 80
    [header] = [line.split() for line in lines if "F1" in line and "gold" not in line]
    assert header == ["F1", "precision", "recall", "aligned", "accuracy"]
    scores = json.loads(run("evaluate", ewt, chain, "--json").out)["scores"]
    for name, title in TITLES.items():
        figures = [f"{scores[name][key]:.2f}" for key in ("f1", "precision", "recall")]
        if "aligned_accuracy" in scores[name]:
            figures.append(f"{scores[name]['aligned_accuracy']:.2f}")
        [line] = [line for line in lines if line.startswith(f"  {title}  ")]
        assert line.removeprefix(f"  {title}  ").split() == figures


def test_columns_that_repeat_f1_are_left_out(run: Run, ewt: Path) -> None:
    table = run("evaluate", ewt, ewt).out.partition("LAS by label")[0]
    assert "F1" in table
    assert not any(name in table for name in ("precision", "recall", "aligned"))


@pytest.fixture
def stand_in(ewt: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A model that answers with the right trees, and what it was called with."""
    gold = {sentence.sent_id: sentence for sentence in read_conllu(ewt)}
    calls: dict[str, Any] = {}

    def stream(sentences: Iterable[Sentence], options: ParseOptions, *, copy: bool) -> Iterator[Sentence]:
        calls["options"] = options
        for sentence in sentences:
            assert {word.head for word in sentence.words} == {None}
            yield gold[sentence.sent_id]

    def parse_text(text: str, options: ParseOptions) -> list[Sentence]:
        calls["options"], calls["text"] = options, text
        return list(gold.values())

    def load(_model: str, **options: Any) -> SimpleNamespace:
        calls["load"] = options
        return SimpleNamespace(stream=stream, parse_text=parse_text)

    monkeypatch.setattr("pointree.ensemble.ensemble.load", load)
    return calls


def test_a_model(run: Run, ewt: Path, stand_in: dict[str, Any]) -> None:
    code, out, err = run("evaluate", ewt, "--model", "somewhere", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["las"] == 100
    assert stand_in == {"load": {"precision": None, "device": "cpu", "engine": "auto"}, "options": ParseOptions()}


def test_options_of_the_parser(run: Run, ewt: Path, stand_in: dict[str, Any]) -> None:
    assert run("evaluate", ewt, "--model", "somewhere", "--beam", 4, "--retag").code == 0
    assert stand_in["options"] == ParseOptions(beam=4, retag=True)


def test_several_models_are_scored_as_one(run: Run, ewt: Path, trained: Path) -> None:
    together = load_models([str(trained), str(trained)])
    expected = evaluate(ewt, model=together).to_dict()
    assert json.loads(run("evaluate", ewt, "--model", trained, "--model", trained, "--json").out) == expected
    assert evaluate(ewt, model=[trained, trained]).to_dict() == expected
    assert "no such model folder" in run("evaluate", ewt, "--model", f"{trained}xx", "--model", trained).err


def test_a_model_that_reads_raw_text(run: Run, ewt: Path, stand_in: dict[str, Any]) -> None:
    assert run("evaluate", ewt, "--model", "somewhere", "--from-text", "--json").code == 0
    first = next(read_conllu(ewt))
    assert stand_in["text"].startswith(first.text)


def test_raw_text_needs_comments(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    message = f"{path}: sentence 1: expected a comment `# text = …` with the raw text, found none"
    assert run("evaluate", path, "--model", "en", "--from-text") == (2, "", f"pointree: error: {message}\n")


@pytest.mark.parametrize(("extra", "found"), [([], "neither"), (["x", "--model", "y"], "both")])
def test_a_system_or_a_model_is_needed(run: Run, ewt: Path, extra: list[str], found: str) -> None:
    message = f"evaluate: expected either a parsed file (system) or a model, found {found}"
    assert run("evaluate", ewt, *extra) == (2, "", f"pointree: error: {message}\n")


def test_options_of_a_model_need_one(run: Run, ewt: Path) -> None:
    message = "evaluate: expected a model for the options from_text, beam, found none"
    found = run("evaluate", ewt, ewt, "--beam", 2, "--from-text")
    assert found == (2, "", f"pointree: error: {message}\n")


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
