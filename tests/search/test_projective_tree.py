"""Eisner's algorithm against every projective tree there is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pointree.search.projective_tree import maximum_projective_tree
from pointree.search.spanning_tree import maximum_spanning_tree
from pointree.transitions import is_projective

from ..helpers import is_tree, tree_score


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_it_is_the_best_of_all_projective_trees(n: int, single_root: bool) -> None:
    trees = [
        list(heads)
        for heads in product(range(n + 1), repeat=n)
        if is_tree(heads, single_root=single_root) and is_projective(heads)
    ]
    for seed in range(15):
        scores = np.random.default_rng(seed).normal(size=(n, n + 1))
        heads = maximum_projective_tree(scores, single_root=single_root)
        assert heads in trees
        assert tree_score(scores, heads) == pytest.approx(max(tree_score(scores, tree) for tree in trees))


@pytest.mark.parametrize("single_root", [True, False])
def test_long_sentences(single_root: bool) -> None:
    scores = np.random.default_rng(0).normal(size=(70, 71))
    heads = maximum_projective_tree(scores, single_root=single_root)
    assert is_tree(heads, single_root=single_root)
    assert is_projective(heads)
    free = maximum_spanning_tree(scores, single_root=single_root)
    assert tree_score(scores, heads) <= tree_score(scores, free)


def test_where_the_best_tree_is_projective_it_is_that_tree() -> None:
    gold = [2, 3, 0, 3, 6, 4]
    scores = np.zeros((6, 7))
    scores[np.arange(6), gold] = 1.0
    assert maximum_projective_tree(scores) == maximum_spanning_tree(scores) == gold
