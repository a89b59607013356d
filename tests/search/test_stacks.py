"""Tests of the batched stacks; tests/equivalence holds them to the pure-Python states."""

from __future__ import annotations

import numpy as np

from pointree.search.arrays import NumpyArrays
from pointree.search.stacks import BatchedStacks
from pointree.transitions import Constraints, Relative


def point(stacks: BatchedStacks, position: int, name: int, log_prob: float = -1.0) -> None:
    stacks.point(stacks.focus, np.array([[position]]), np.array([[log_prob]], dtype=np.float32), np.array([name]))


def test_a_word_goes_on_the_stack_and_is_popped() -> None:
    """ROOT gets 2, 2 gets 3 and then 1: the states are read where the focus word has parent and sibling."""
    stacks = BatchedStacks(NumpyArrays(), [3], tuple(Relative), Constraints())
    assert stacks.legal(stacks.focus).tolist() == [[False, True, True, True]]
    point(stacks, 2, name=10)
    assert stacks.focus.tolist() == [[2]]
    assert stacks.sources(stacks.focus).tolist() == [[10, 0, 0]], "ROOT has no state"
    assert stacks.legal(stacks.focus).tolist() == [[False, True, False, True]], "the root word stays until the end"
    point(stacks, 3, name=11)
    assert stacks.sources(stacks.focus).tolist() == [[11, 10, 0]]
    assert stacks.legal(stacks.focus).tolist() == [[False, True, False, True]]
    point(stacks, 3, name=12)
    assert stacks.focus.tolist() == [[2]], "a pop goes back to the head"
    assert stacks.legal(stacks.focus).tolist() == [[False, True, False, False]]
    point(stacks, 1, name=13)
    assert stacks.sources(stacks.focus).tolist() == [[13, 10, 11]]
    point(stacks, 1, name=14)
    assert stacks.heads.tolist() == [[0, 2, 0, 2]]
    assert stacks.log_probs.tolist() == [[-2.0, -1.0, -1.0, -1.0]], "pops count, in the column of ROOT"
    assert stacks.state_ids.tolist() == [[0, 13, 10, 11]]
    assert stacks.legal(stacks.focus).tolist() == [[False, False, True, False]]


def test_shorter_sentences_have_no_words_beyond_their_end() -> None:
    stacks = BatchedStacks(NumpyArrays(), [2, 1], (), Constraints(projective=True))
    assert stacks.legal(stacks.focus).tolist() == [[False, True, True], [False, True, False]]
    assert stacks.sources(stacks.focus).tolist() == [[1], [2]]
    stacks.select(slice(1))
    assert stacks.exists.tolist() == [[True, True, True]]
