from __future__ import annotations

import pytest

from pointree.evaluation import Score


def test_percentages() -> None:
    score = Score(correct=3, gold=4, system=6)
    assert (score.precision, score.recall, score.f1) == (50.0, 75.0, 60.0)


def test_accuracy_of_aligned_words() -> None:
    assert Score(correct=3, gold=9, system=9, aligned=4).aligned_accuracy == 75.0
    assert Score(aligned=0).aligned_accuracy == 0.0
    assert Score(correct=3, gold=9, system=9).aligned_accuracy is None


def test_nothing_to_score_is_zero() -> None:
    assert (Score().precision, Score().recall, Score().f1) == (0.0, 0.0, 0.0)


def test_add() -> None:
    score = Score()
    score.add(correct=1, gold=2)
    score.add(gold=1, system=4)
    assert score == Score(correct=1, gold=3, system=4)
    score.add(aligned=2)
    assert score.aligned == 2


def test_to_dict() -> None:
    assert Score(correct=1, gold=2, system=4).to_dict() == {
        "gold": 2,
        "system": 4,
        "correct": 1,
        "precision": 25.0,
        "recall": 50.0,
        "f1": pytest.approx(100 / 3),
    }
