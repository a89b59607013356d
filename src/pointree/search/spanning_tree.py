"""The best tree of given arc scores: the maximum spanning arborescence, with exactly one root word if asked.

The algorithm is that of Chu, Liu and Edmonds in the form that Tarjan gave it for dense graphs: follow the best
entering arcs backwards; where they run into a cycle, contract it to one node and go on. Each contraction merges rows
and columns of the score matrix, so a sentence of n words takes O(n²) operations, all of them on numpy rows.

One root word: every arc of ROOT is lowered by more than any two trees can differ in score. The best tree then has as
few arcs of ROOT as possible, which is one, and among trees with one such arc nothing has changed. This is exact.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scores", "lower_root_arcs", "maximum_spanning_tree"]

Scores: TypeAlias = NDArray[np.float64]
"""Scores of arcs: row i is word i + 1, column h its possible head, 0 being ROOT. *Shape:* ``(n, n + 1)``."""

_NEVER = -np.inf


def maximum_spanning_tree(scores: Scores, *, single_root: bool = True) -> list[int]:
    """The heads of words 1 … n that form the tree with the greatest sum of scores, which must be finite.

    What a word scores as its own head is not looked at.
    """
    n = len(scores)
    weights = np.full((n + 1, n + 1), _NEVER)
    weights[1:] = scores
    np.fill_diagonal(weights, _NEVER)
    best: list[int] = weights[1:].argmax(axis=1).tolist()
    if _is_tree(best) and (not single_root or best.count(0) == 1):
        return best  # nothing can be better, and with a trained model this is the rule
    if single_root:
        weights[1:, 0] = lower_root_arcs(scores)[:, 0]
    return _Contraction(weights).heads()


def lower_root_arcs(scores: Scores) -> Scores:
    """Scores with which a tree of more root words than another is always worse."""
    lowered = np.array(scores, dtype=np.float64)
    words = np.arange(len(scores))
    lowered[words, words + 1] = lowered[:, 0]  # no arc, so it must not widen the range
    lowered[:, 0] -= len(scores) * (lowered.max() - lowered.min()) + 1.0
    return lowered


def _is_tree(heads: list[int]) -> bool:
    """Whether every word reaches ROOT, in O(n)."""
    reaches = [True] + [False] * len(heads)
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        node = start
        while not reaches[node]:
            if len(path) > len(heads):
                return False
            path.append(node)
            node = heads[node - 1]
        for node in path:
            reaches[node] = True
    return True


class _Contraction:
    """A graph whose cycles of best arcs are contracted one by one, and then opened again.

    A contracted cycle lives on in the row and column of one of its nodes. `within` has, for every node that there
    ever was (words first, then cycles), the cycle that swallowed it; `entering` has the arc that was chosen for it.
    """

    def __init__(self, weights: Scores) -> None:
        self.weights = weights
        size = len(weights)
        self.heads_of_arcs = np.tile(np.arange(size), (size, 1))
        self.dependents_of_arcs = self.heads_of_arcs.T.copy()
        self.node_at = list(range(size))
        self.within = [-1] * size
        self.entering: list[tuple[int, int]] = [(-1, -1)] * size

    def heads(self) -> list[int]:
        """The heads of the best tree."""
        size = len(self.weights)
        self._contract_all()
        for cycle in range(len(self.within) - 1, size - 1, -1):
            arc = self.entering[cycle]
            node = arc[1]
            while self.within[node] != cycle:
                node = self.within[node]
            self.entering[node] = arc  # it replaces the arc by which the cycle closed
        return [head for head, _dependent in self.entering[1:size]]

    def _contract_all(self) -> None:
        """Choose an entering arc for every node; afterwards no chosen arcs form a cycle."""
        connected = np.zeros(len(self.weights), dtype=np.bool_)  # nodes from which chosen arcs lead back to ROOT
        connected[0] = True
        swallowed = np.zeros(len(self.weights), dtype=np.bool_)
        for start in range(1, len(self.weights)):
            if connected[start] or swallowed[start]:
                continue
            path = [start]
            while True:
                place = path[-1]
                source = int(self.weights[place].argmax())
                arc = (int(self.heads_of_arcs[place, source]), int(self.dependents_of_arcs[place, source]))
                self.entering[self.node_at[place]] = arc
                if connected[source]:
                    connected[path] = True
                    break
                if source not in path:
                    path.append(source)
                    continue
                first = path.index(source)
                cycle, path = path[first:], path[: first + 1]
                self._contract(cycle)
                swallowed[cycle[1:]] = True

    def _contract(self, places: list[int]) -> None:
        """Make one node of a cycle, in the place of its first node."""
        new, first = len(self.within), places[0]
        for place in places:
            self.within[self.node_at[place]] = new
        self.within.append(-1)
        self.entering.append((-1, -1))
        self.node_at[first] = new
        rows = self.weights[places]
        # An arc into the cycle replaces the best arc of the node that it enters.
        self._merge(places, rows - rows.max(axis=1, keepdims=True), axis=0)
        self._merge(places, self.weights[:, places], axis=1)
        self.weights[:, places[1:]] = _NEVER
        self.weights[first, first] = _NEVER

    def _merge(self, places: list[int], candidates: Scores, axis: int) -> None:
        """Write the best of several rows (axis 0) or columns (axis 1) into the first, with the arcs they stand for."""
        index = np.arange(len(self.weights))
        chosen = candidates.argmax(axis=axis)
        origin = np.asarray(places)[chosen]
        first = places[0]
        if axis == 0:
            self.weights[first] = candidates[chosen, index]
            self.heads_of_arcs[first] = self.heads_of_arcs[origin, index]
            self.dependents_of_arcs[first] = self.dependents_of_arcs[origin, index]
        else:
            self.weights[:, first] = candidates[index, chosen]
            self.heads_of_arcs[:, first] = self.heads_of_arcs[index, origin]
            self.dependents_of_arcs[:, first] = self.dependents_of_arcs[index, origin]
