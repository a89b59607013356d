"""Tests of single facts about batched trees; `tests/equivalence` holds them to the pure-Python tree step by step."""

from __future__ import annotations

import numpy as np

from pointree.search.arrays import Array, NumpyArrays
from pointree.search.state import BatchedTrees
from pointree.transitions import Constraints, Slot


def column(*values: int) -> Array:
    return np.array(values)[:, None]


def new_trees(lengths: list[int], constraints: Constraints, slots: tuple[Slot, ...] = ()) -> BatchedTrees:
    return BatchedTrees(NumpyArrays(), lengths, slots, constraints)


def attach(trees: BatchedTrees, focus: tuple[int, ...], heads: tuple[int, ...], names: tuple[int, ...]) -> None:
    trees.point(column(*focus), column(*heads), np.zeros((len(focus), 1)), np.array(names))


def test_padding_is_never_a_head() -> None:
    trees = new_trees([3, 1], Constraints())
    assert trees.legal(column(1, 1)).tolist() == [[True, False, True, True], [True, False, False, False]]


def test_a_second_root_is_refused_where_the_rule_is_on() -> None:
    for single_root in (True, False):
        trees = new_trees([2], Constraints(single_root=single_root))
        attach(trees, (1,), (0,), (2,))
        assert trees.legal(column(2)).tolist() == [[not single_root, True, False]]


def test_a_cycle_through_several_words_is_refused() -> None:
    trees = new_trees([3], Constraints(single_root=False))
    attach(trees, (1,), (2,), (2,))
    attach(trees, (2,), (3,), (3,))
    assert trees.legal(column(3)).tolist() == [[True, False, False, False]]


def test_a_crossing_arc_is_refused_where_the_rule_is_on() -> None:
    for projective in (True, False):
        trees = new_trees([4], Constraints(single_root=False, projective=projective))
        attach(trees, (1,), (3,), (2,))
        assert trees.legal(column(2))[0, 4].item() is not projective


def test_sources_are_the_previous_state_and_those_in_the_slots() -> None:
    trees = new_trees([3, 3], Constraints(), (Slot.LEFTMOST, Slot.LAST_LEFT))
    attach(trees, (1, 1), (3, 2), (11, 12))
    attach(trees, (2, 2), (3, 3), (21, 22))
    assert trees.sources(column(3, 3)).tolist() == [[21, 11, 21], [22, 22, 22]]


def test_repeated_rows_go_their_own_ways() -> None:
    trees = new_trees([2], Constraints())
    trees.select(np.array([0, 0]))
    attach(trees, (1, 1), (0, 2), (2, 3))
    assert trees.heads.tolist() == [[0, 0, 0], [0, 2, 0]]
    assert trees.legal(column(2, 2)).tolist() == [[False, True, False], [True, False, False]]
