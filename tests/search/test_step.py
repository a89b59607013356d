"""Tests of one step of a search."""

from __future__ import annotations

import pytest
import torch

from pointree.search.state import BatchedTrees
from pointree.search.step import Stepper
from pointree.transitions import BOTTOM_UP, Constraints

from ..helpers import make_batch, random_sentences, tiny_config, tiny_parser


@pytest.mark.parametrize("order", BOTTOM_UP)
def test_focus_words_follow_the_order(order: str) -> None:
    parser = tiny_parser(tiny_config((order, "simple", "gate1")))
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, random_sentences([5, 3, 1])))
        stepper = Stepper.start(encoded.branch(), beam=2)
    assert stepper.turns is not None
    focus, _rows = stepper.turns
    assert focus.shape == (3, 5)
    for row, n in enumerate((5, 3, 1)):
        assert tuple(focus[row, :n].tolist()) == BOTTOM_UP[order].focus_sequence(n)
    assert stepper.steps.lengths == (5, 3, 1)
    assert len(stepper.memory) == 1 + 3 + 2 * 9


def test_log_probs_are_a_distribution_over_legal_heads() -> None:
    parser = tiny_parser()
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, random_sentences([4, 2])))
        stepper = Stepper.start(encoded.branch(), beam=1)
        trees = BatchedTrees(stepper.branch.arrays, stepper.steps.lengths, stepper.branch.slots, Constraints())
        focus, names, log_probs = stepper.advance(trees, 0, width=1)
    assert focus.tolist() == [[1], [1]]
    assert names.tolist() == [3, 4]
    assert torch.equal(log_probs > float("-inf"), trees.legal(focus))
    torch.testing.assert_close(log_probs.exp().sum(dim=1), torch.ones(2))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 3e38, -3e38])
def test_scores_that_are_no_numbers_leave_a_distribution(value: float) -> None:
    parser = tiny_parser()
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, random_sentences([4])))
        encoded.branch().encoding.key_biases[0, 2] = value
        encoded.branch().encoding.key_biases[0, 3] = -value
        stepper = Stepper.start(encoded.branch(), beam=1)
        trees = BatchedTrees(stepper.branch.arrays, stepper.steps.lengths, stepper.branch.slots, Constraints())
        focus, _names, log_probs = stepper.advance(trees, 0, width=1)
    legal = trees.legal(focus)
    assert bool(log_probs[legal].isfinite().all()), "a legal head must be told from one that is not"
    assert float(log_probs.exp().sum()) == pytest.approx(1.0)
