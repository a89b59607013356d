"""The best projective tree of given arc scores: Eisner's algorithm, O(n³), one numpy operation a span length.

A span is a stretch of words of which one end is the head of all the others. A complete span (i, j) with its head on
the left has all dependents of i up to j; an incomplete one ends in the dependent j of i, which may still get
dependents on its right. With one root word ROOT takes no part in the spans: the root word has a complete span on
either side, and the best choice of it is the best tree. Otherwise ROOT is the first word of the sentence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pointree.search.spanning_tree import Scores

__all__ = ["maximum_projective_tree"]

_LEFT, _RIGHT = 0, 1
"""Where the head of a span is."""


def maximum_projective_tree(scores: Scores, *, single_root: bool = True) -> list[int]:
    """The heads of words 1 … n that form the projective tree with the greatest sum of scores.

    ``scores`` are as in `maximum_spanning_tree`.
    """
    n = len(scores)
    heads = [0] * n
    if single_root:
        chart = _Chart(scores[:, 1:])
        left, right = chart.complete[_RIGHT][0], chart.complete[_LEFT][:, n - 1]
        root = int((scores[:, 0] + left + right).argmax())
        arcs = chart.arcs([(0, root, _RIGHT, True), (root, n - 1, _LEFT, True)])
        for head, dependent in arcs:
            heads[dependent] = head + 1
    else:
        chart = _Chart(np.vstack([np.full(n + 1, -np.inf), scores]))
        for head, dependent in chart.arcs([(0, n, _LEFT, True)]):
            heads[dependent - 1] = head
    return heads


class _Chart:
    """Scores of all spans, and the splits that gave them."""

    def __init__(self, scores: Scores) -> None:
        """*Shape:* ``scores`` is ``(size, size)``, rows being dependents."""
        size = len(scores)
        self.complete = np.full((2, size, size), -np.inf)
        self.complete[:, np.arange(size), np.arange(size)] = 0.0
        self.incomplete = np.full((2, size, size), -np.inf)
        self.splits: NDArray[np.int64] = np.zeros((2, 2, size, size), dtype=np.int64)
        for length in range(1, size):
            starts = np.arange(size - length)
            self._fill(scores, starts, starts + length)

    def _fill(self, scores: Scores, first: NDArray[np.int64], last: NDArray[np.int64]) -> None:
        """Compute all spans of one length from shorter ones."""
        length = int(last[0] - first[0])
        i, j = first[:, None], last[:, None]
        split = i + np.arange(length)
        left, right = self.complete
        inside = left[i, split] + right[split + 1, j]
        best = inside.argmax(axis=1)
        inner = inside[np.arange(len(first)), best]
        for side, arc in ((_LEFT, scores[last, first]), (_RIGHT, scores[first, last])):
            self.incomplete[side, first, last] = inner + arc
            self.splits[0, side, first, last] = first + best
        with_head_left = self.incomplete[_LEFT][i, split + 1] + left[split + 1, j]
        with_head_right = right[i, split] + self.incomplete[_RIGHT][split, j]
        for side, candidates, shift in ((_LEFT, with_head_left, 1), (_RIGHT, with_head_right, 0)):
            best = candidates.argmax(axis=1)
            self.complete[side, first, last] = candidates[np.arange(len(first)), best]
            self.splits[1, side, first, last] = first + best + shift

    def arcs(self, spans: list[tuple[int, int, int, bool]]) -> list[tuple[int, int]]:
        """The arcs (head, dependent) below some spans, each given as first, last, side of the head, complete."""
        found: list[tuple[int, int]] = []
        while spans:
            first, last, side, complete = spans.pop()
            if first == last:
                continue
            split = int(self.splits[int(complete), side, first, last])
            if not complete:
                found.append((first, last) if side == _LEFT else (last, first))
                spans += [(first, split, _LEFT, True), (split + 1, last, _RIGHT, True)]
            elif side == _LEFT:
                spans += [(first, split, _LEFT, False), (split, last, _LEFT, True)]
            else:
                spans += [(first, split, _RIGHT, True), (split, last, _RIGHT, False)]
        return found
