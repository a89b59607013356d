"""The maximum spanning tree against networkx and against every tree there is."""

from __future__ import annotations

from itertools import product

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointree.search.spanning_tree import Scores, lower_root_arcs, maximum_spanning_tree

from ..helpers import is_tree, tree_score


def random_scores(n: int, seed: int, *, whole: bool = False) -> Scores:
    random = np.random.default_rng(seed)
    scores = random.integers(0, 3, (n, n + 1)).astype(float) if whole else random.normal(size=(n, n + 1))
    return np.asarray(scores, dtype=np.float64)


def best_by_enumeration(scores: Scores, *, single_root: bool) -> float:
    n = len(scores)
    trees = (heads for heads in product(range(n + 1), repeat=n) if is_tree(heads, single_root=single_root))
    return max(tree_score(scores, list(heads)) for heads in trees)


def best_by_networkx(scores: Scores) -> float:
    graph = networkx.DiGraph()
    n = len(scores)
    for dependent, head in product(range(1, n + 1), range(n + 1)):
        if head != dependent:
            graph.add_edge(head, dependent, weight=scores[dependent - 1, head])
    tree = networkx.maximum_spanning_arborescence(graph)
    return float(sum(scores[dependent - 1, head] for head, dependent in tree.edges))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_it_is_the_best_of_all_trees(n: int, single_root: bool) -> None:
    for seed in range(15 if n == 4 else 40):
        scores = random_scores(n, seed, whole=seed % 2 == 0)
        heads = maximum_spanning_tree(scores, single_root=single_root)
        assert is_tree(heads, single_root=single_root)
        assert tree_score(scores, heads) == pytest.approx(best_by_enumeration(scores, single_root=single_root))


@pytest.mark.parametrize("single_root", [True, False])
def test_it_is_the_best_of_all_trees_of_five_words(single_root: bool) -> None:
    scores = random_scores(5, 3)
    heads = maximum_spanning_tree(scores, single_root=single_root)
    assert tree_score(scores, heads) == pytest.approx(best_by_enumeration(scores, single_root=single_root))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14), st.integers(0, 10**6), st.booleans())
def test_it_scores_what_networkx_finds(n: int, seed: int, whole: bool) -> None:
    scores = random_scores(n, seed, whole=whole)
    free = maximum_spanning_tree(scores, single_root=False)
    assert is_tree(free, single_root=False)
    assert tree_score(scores, free) == pytest.approx(best_by_networkx(scores))
    heads = maximum_spanning_tree(scores)
    assert is_tree(heads)
    lowered = lower_root_arcs(scores)
    assert tree_score(lowered, heads) == pytest.approx(best_by_networkx(lowered))


@pytest.mark.parametrize("n", [28, 300])
def test_long_sentences_with_nested_cycles(n: int) -> None:
    """Neighbours that prefer each other make cycles of cycles."""
    scores = random_scores(n, n) * 0.01
    scores[:, 0] -= 100.0
    words = np.arange(n)
    scores[words, (words ^ 1) % n + 1] += 50.0
    scores[words, (words ^ 2) % n + 1] += 20.0
    heads = maximum_spanning_tree(scores)
    assert is_tree(heads)
    if n == 28:
        lowered = lower_root_arcs(scores)
        assert tree_score(lowered, heads) == pytest.approx(best_by_networkx(lowered))


def test_one_root_even_where_every_word_prefers_root() -> None:
    scores = np.zeros((6, 7))
    scores[:, 0] = 1e6
    scores[3, 0] = 1e6 + 1
    heads = maximum_spanning_tree(scores)
    assert [word for word, head in enumerate(heads, 1) if head == 0] == [4]
    assert maximum_spanning_tree(scores, single_root=False) == [0] * 6


def test_a_words_score_as_its_own_head_is_ignored() -> None:
    scores = random_scores(4, 1)
    loops = scores.copy()
    loops[np.arange(4), np.arange(1, 5)] = -np.inf
    assert maximum_spanning_tree(scores) == maximum_spanning_tree(loops)
