"""Trees: what keeps heads from being one, against networkx."""

from __future__ import annotations

from itertools import product

import networkx as nx
import pytest

from pointree.treebank.validity import tree_faults


@pytest.mark.parametrize(
    ("heads", "faults"),
    [
        ([0], []),
        ([2, 0, 2], []),
        ([2, 1], ["expected one root, found none", "cycle 1 → 2 → 1"]),
        ([0, 0, 1], ["expected one root, found 2: words 1, 2"]),
        ([0, 3, 4, 2, 2], ["cycle 2 → 3 → 4 → 2"]),
        ([0, 3, 2, 5, 4], ["cycle 2 → 3 → 2", "cycle 4 → 5 → 4"]),
        ([None, 0], ["no HEAD for word 1"]),
        ([None] * 12, ["no HEAD for words 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"]),
        ([0, 2], ["cycle 2 → 2"]),
        ([9, 0], ["HEAD 9 of word 1 is outside a sentence of 2 words"]),
        ([], ["expected one root, found none"]),
    ],
)
def test_faults(heads: list[int | None], faults: list[str]) -> None:
    assert tree_faults(heads) == faults


@pytest.mark.parametrize("n_words", [1, 2, 3, 4])
def test_every_choice_of_heads_agrees_with_networkx(n_words: int) -> None:
    for heads in product(range(n_words + 1), repeat=n_words):
        graph = nx.DiGraph((head, word) for word, head in enumerate(heads, 1))
        graph.add_nodes_from(range(n_words + 1))
        is_tree = nx.is_arborescence(graph) and graph.out_degree(0) == 1
        assert (not tree_faults(heads)) == is_tree, heads
