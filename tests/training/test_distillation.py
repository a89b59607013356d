"""Learning from the probabilities of a teacher."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pointree.errors import TrainingError
from pointree.nn.batch import SoftTargets
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.training.distillation import Distillation

from ..helpers import NO_DROPOUT, by_falling_length, make_batch, random_sentences, tiny_config, tiny_parser
from .runs import small_config, small_trainer

SENTENCES = random_sentences([3, 7, 5, 1, 7], seed=2)


def teachers() -> list[Parser]:
    return [tiny_parser(tiny_config(("combined", "simple", "gate1")), seed=3), tiny_parser(seed=4)]


def test_targets_are_the_mean_of_the_teachers_at_each_step() -> None:
    parsers, student = teachers(), tiny_parser(tiny_config(("outside-in", "full", "gate1")))
    deprels = student.vocabularies.deprels.symbols
    distillation = Distillation(parsers, SENTENCES, deprels, 0.5)
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


def test_labels_that_a_teacher_does_not_know_are_left_out() -> None:
    parser = tiny_parser()
    known = parser.vocabularies.deprels.symbols
    distillation = Distillation([parser], SENTENCES, ["new", *reversed(known[1:])], 1.0)
    for labels in distillation.labels:
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


def test_a_student_follows_its_teacher(tmp_path: Path) -> None:
    teacher = small_trainer(tmp_path / "teacher", small_config(epochs=3))
    teacher.run()
    teacher.network.eval()
    student = small_trainer(tmp_path / "student", small_config(epochs=2, seed=2), teachers=[teacher.parser])
    assert student.run().best_las > 0
    other = small_trainer(tmp_path / "student", small_config(epochs=2, seed=2))
    with pytest.raises(TrainingError, match="other data: teachers not as given now"):
        other.resume()
