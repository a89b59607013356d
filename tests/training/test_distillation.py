"""Learning from the probabilities of a teacher."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pointree.errors import TrainingError
from pointree.models.layout import TEACHER_PROBABILITIES, WEIGHTS
from pointree.nn.batch import SoftTargets
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.running.batching import plan_batches
from pointree.training import distillation as distillation_module
from pointree.training import teacher_file
from pointree.training import trainer as trainer_module
from pointree.training.distillation import Distillation
from pointree.training.observer import TrainingObserver
from pointree.training.trainer import Trainer

from ..helpers import NO_DROPOUT, by_falling_length, make_batch, random_sentences, tiny_config, tiny_parser
from .runs import small_config, small_trainer

SENTENCES = random_sentences([3, 7, 5, 1, 7], seed=2)


def teachers() -> list[Parser]:
    return [tiny_parser(tiny_config(("combined", "simple", "gate1")), seed=3), tiny_parser(seed=4)]


def test_targets_are_the_mean_of_the_teachers_at_each_step(tmp_path: Path) -> None:
    parsers, student = teachers(), tiny_parser(tiny_config(("outside-in", "full", "gate1")))
    deprels = student.vocabularies.deprels.symbols
    distillation = Distillation(parsers, SENTENCES, deprels, 0.5, folder=tmp_path / "kept", about={})
    numbers = [1, 4, 2, 0, 3]
    ordered = [SENTENCES[number] for number in numbers]
    [gold] = make_batch(student, ordered, gold=True).gold
    found = distillation.targets(numbers, gold)
    assert found.heads.shape == (gold.steps.n_rows, 8)
    torch.testing.assert_close(found.heads.sum(dim=1), torch.ones(gold.steps.n_rows), atol=2e-3, rtol=0)
    torch.testing.assert_close(found.labels.sum(dim=1), torch.ones(gold.steps.n_rows), atol=2e-3, rtol=0)
    means = np.mean([parser.posteriors(ordered, ParseOptions()).heads() for parser in parsers], axis=0)
    for step, sentence in enumerate(gold.steps.sentence_index.tolist()):
        focus = int(gold.focus[step])
        assert found.heads[step].tolist() == pytest.approx(means[sentence, focus].tolist(), abs=1e-3)


def test_labels_that_a_teacher_does_not_know_are_left_out(tmp_path: Path) -> None:
    parser = tiny_parser()
    known = parser.vocabularies.deprels.symbols
    distillation = Distillation([parser], SENTENCES, ["new", *reversed(known[1:])], 1.0, folder=tmp_path, about={})
    for labels in map(distillation.file.labels, range(len(SENTENCES))):
        assert len(labels)
        assert labels[:, 0].tolist() == [0.0] * len(labels)
        assert labels.sum(axis=1).tolist() == pytest.approx([1.0] * len(labels), abs=4e-3)


def test_gold_trees_as_soft_targets_are_gold_trees() -> None:
    parser = tiny_parser(tiny_config(("left-to-right", "simple", "gate1"), NO_DROPOUT))
    batch = make_batch(parser, by_falling_length(SENTENCES), gold=True)
    [gold] = batch.gold
    heads = torch.nn.functional.one_hot(gold.targets, batch.positions.n_steps).float()
    labels = torch.nn.functional.one_hot(gold.labels, len(parser.vocabularies.deprels)).float()
    with torch.no_grad():
        hard = parser.network.loss(batch)
        soft = parser.network.loss(batch, soft=[SoftTargets(heads, labels, 0.7)])
        even = parser.network.loss(batch, soft=[SoftTargets(heads, torch.full_like(labels, 0.25), 1.0)])
    torch.testing.assert_close(soft.arcs, hard.arcs)
    torch.testing.assert_close(soft.labels, hard.labels)
    assert not torch.allclose(even.labels, hard.labels)


@pytest.fixture(scope="module")
def teacher_folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models with the same name in different folders."""
    found = []
    for seed in (1, 3):
        found.append(tmp_path_factory.mktemp("teachers") / "teacher")
        small_trainer(found[-1], small_config(epochs=2, seed=seed)).run()
    return found


class StopError(Exception):
    """Somebody stops a run."""


class Stopper(TrainingObserver):
    """Stops a run while its teachers parse or while it learns, and counts."""

    def __init__(self, *, asked: int = 0, learned: int = 0) -> None:
        self.at = {"asked": asked, "learned": learned}
        self.counts = {"asked": 0, "learned": 0}

    def stage_progressed(self, stage: str, done: int, total: int) -> None:
        if stage == "teachers":
            self._count("asked")

    def batch_done(self, words: int, loss: float) -> None:
        self._count("learned")

    def _count(self, what: str) -> None:
        self.counts[what] += 1
        if self.counts[what] == self.at[what]:
            raise StopError


@pytest.fixture
def piecewise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Teachers parse small batches, and what they say of each is counted at once."""
    monkeypatch.setattr(distillation_module, "plan_batches", lambda lengths, **_: plan_batches(lengths, batch_words=20))
    monkeypatch.setattr(teacher_file, "SAVED_SECONDS", 0.0)
    monkeypatch.setattr(trainer_module, "CHECKPOINT_SECONDS", 0.0)


def student(folder: Path, teacher: Path, observer: TrainingObserver | None = None, **training: Any) -> Trainer:
    settings = {"epochs": 2, "seed": 2, **training}
    observer = observer or TrainingObserver()
    return small_trainer(folder, small_config(**settings), teachers=[Parser.load(teacher)], observer=observer)


def test_a_student_follows_its_teacher(tmp_path: Path, teacher_folders: list[Path]) -> None:
    assert student(tmp_path / "student", teacher_folders[0]).run().best_las > 0
    assert not (tmp_path / "student" / TEACHER_PROBABILITIES).exists()
    other = small_trainer(tmp_path / "student", small_config(epochs=2, seed=2))
    with pytest.raises(TrainingError, match="other data: teachers not as given now"):
        other.resume()


@pytest.mark.usefixtures("piecewise")
def test_a_teacher_is_asked_once_however_often_a_run_is_resumed(tmp_path: Path, teacher_folders: list[Path]) -> None:
    whole = Stopper()
    student(tmp_path / "whole", teacher_folders[0], whole).run()
    assert whole.counts["asked"] > 4
    asked = 0
    for observer in (Stopper(asked=2), Stopper(asked=2), Stopper(learned=2), Stopper(learned=2), Stopper()):
        part = student(tmp_path / "parts", teacher_folders[0], observer)
        if asked:
            part.resume()
        try:
            part.run()
        except StopError:
            assert (tmp_path / "parts" / TEACHER_PROBABILITIES).is_dir()
        asked += observer.counts["asked"]
    assert asked == whole.counts["asked"]
    assert (tmp_path / "parts" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    assert not (tmp_path / "parts" / TEACHER_PROBABILITIES).exists()


def stopped(folder: Path, teacher: Path) -> Path:
    """The folder of probabilities of a run that was stopped in its first epoch."""
    with pytest.raises(StopError):
        student(folder, teacher, Stopper(learned=2)).run()
    return folder / TEACHER_PROBABILITIES


def test_another_teacher_of_the_same_name_is_told(tmp_path: Path, teacher_folders: list[Path]) -> None:
    kept = stopped(tmp_path, teacher_folders[0])
    resumed = student(tmp_path, teacher_folders[1])
    resumed.resume()
    message = (
        f"^{re.escape(str(kept))}/about.json: the probabilities of the teachers were computed with other teachers than "
        f"given now; to compute them again, remove {re.escape(str(kept))}$"
    )
    with pytest.raises(TrainingError, match=message):
        resumed.run()


def test_a_finished_run_is_resumed_without_its_teacher(
    tmp_path: Path, teacher_folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    student(tmp_path, teacher_folders[0]).run()
    monkeypatch.setattr(Parser, "posteriors", None)
    finished = student(tmp_path, teacher_folders[0])
    finished.resume()
    assert finished.run().epoch == 2
