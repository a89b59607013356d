"""The expected calibration error, by hand; `tests/training/test_calibration.py` has it by way of a model."""

from __future__ import annotations

import pytest

from pointree.errors import UsageError
from pointree.evaluation import evaluate
from pointree.evaluation.calibration import Outcomes, expected_calibration_error, reported_outcomes
from pointree.treebank.sentence import Sentence


def test_the_error_is_the_mean_difference_of_the_bins() -> None:
    outcomes = Outcomes()
    for probability, right in ((0.91, True), (0.92, False), (0.1, False), (1.0, True)):
        outcomes.add(probability, right)
    # Bins of 1/15: 0.91 and 0.92 share one, whose words are right half of the time.
    assert expected_calibration_error(outcomes) == pytest.approx((abs(0.91 + 0.92 - 1) + 0.1 + 0.0) / 4)
    assert expected_calibration_error(Outcomes()) == 0.0


def test_probabilities_are_held_against_gold() -> None:
    gold = Sentence.from_words(["a", "b"], head=[2, 0], deprel=["x", "root"], upos=["X", "Y"])
    told = Sentence.from_words(["a", "b"], head=[0, 0], deprel=["x", "root"], upos=["X", "Z"])
    told.words[0].misc, told.words[1].misc = "HeadProb=0.5|UposProb=0.5", "HeadProb=1"
    found = reported_outcomes([gold], [told])
    assert (found["head"].probabilities, found["head"].right) == ([0.5, 1.0], [False, True])
    assert found["upos"].right == [True]
    assert "deprel" not in found


def test_what_cannot_be_measured() -> None:
    gold = [Sentence.from_words(["a", "b"], head=[2, 0], deprel=["x", "root"])]
    with pytest.raises(UsageError, match="expected probabilities in MISC"):
        evaluate(gold, gold, calibration=True)
    with pytest.raises(UsageError, match="on gold words"):
        evaluate(gold, model="en", from_text=True, calibration=True)
    with pytest.raises(UsageError, match="expected the 2 words of gold in sentence 1, found 1"):
        reported_outcomes([Sentence.from_words(["a", "b"])], [Sentence.from_words(["ab"])])
