"""Training text models: determinism, progress, faults and interruption."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import OutputError, TrainingError
from pointree.training import text_model as text_model_module
from pointree.training.text_model import TaggerOptions, TextProgress, TokenizerOptions, train_text_model
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence


@pytest.fixture(scope="module")
def treebank(ewt: Path) -> list[Sentence]:
    return list(read_conllu(ewt))


@pytest.mark.slow
def test_training_is_deterministic_and_reports_its_stages(treebank: list[Sentence], tmp_path: Path) -> None:
    paths = tmp_path / "a.udpipe", tmp_path / "b.udpipe"
    reports: list[TextProgress] = []
    for path in paths:
        train_text_model(
            treebank[:15],
            treebank[15:20],
            path,
            tokenizer=TokenizerOptions(epochs=1, segment_size=10),
            tagger=TaggerOptions(iterations=2, lemma_iterations=1),
            progress=reports.append,
        )
    assert paths[0].read_bytes() == paths[1].read_bytes()
    steps = {(report.stage, report.step, report.n_steps) for report in reports}
    assert {("tokeniser", 1, 1), ("tagger", 1, 2), ("tagger", 2, 2), ("lemmatiser", 1, 1)} <= steps
    assert any("heldout tokens" in report.report for report in reports)


def test_faults_of_the_trainer_are_one_line(treebank: list[Sentence], tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"^text model: expected sentences to train on, found none$"):
        train_text_model([], [], tmp_path / "m")
    with pytest.raises(TrainingError, match=r"ended with code 1 in tokeniser: .*[Ss]egment size"):
        train_text_model(treebank, [], tmp_path / "m", tokenizer=TokenizerOptions(segment_size=1))
    with pytest.raises(OutputError, match=r"cannot be written"):
        train_text_model(treebank, [], tmp_path / "no" / "m", tokenizer=None)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_the_trainer(
    treebank: list[Sentence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []

    class Recorded(subprocess.Popen[str]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    def interrupt(report: TextProgress) -> None:
        if report.stage == "tokeniser":
            raise KeyboardInterrupt

    monkeypatch.setattr(text_model_module.subprocess, "Popen", Recorded)
    with pytest.raises(KeyboardInterrupt):
        train_text_model(treebank, [], tmp_path / "m", progress=interrupt)
    assert started[0].returncode is not None
    assert list(tmp_path.iterdir()) == []
