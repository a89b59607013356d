"""Is one system better than another, or was it lucky with its seeds and this test set? The paired bootstrap over both.

Each draw takes as many sentences as there are, with replacement, and as many seeds. Both systems are scored on the same
sentences and the same seeds; treebanks that are pooled are drawn from one by one. As in `bootstrap`, the middle 95 % of
the drawn differences are the interval, and p is the share of draws that stray from the observed difference by as much
as that differs from nothing.

A few seeds, drawn with replacement, vary less than new ones would, by a factor of √((s - 1) / s). Their weights are
stretched by as much. With one seed only sentences are drawn: the answer then holds for these two models alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.analysis.bootstrap import DRAWS_AT_ONCE, Comparison, draw_counts

__all__ = ["TreebankCounts", "compare_seeds"]


@dataclass(frozen=True, slots=True)
class TreebankCounts:
    """One treebank: the words of each group of words, and what two systems got right of them.

    *Shape:* ``words`` is ``(n_groups, n_sentences)``; ``first`` and ``second`` are ``(n_groups, n_seeds,
    n_sentences)``.
    """

    words: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @property
    def n_seeds(self) -> int:
        """The number of seeds."""
        return int(self.first.shape[1])

    @property
    def ahead(self) -> NDArray[np.int64]:
        """For each group, the number of seeds with which the first system has more right words."""
        found: NDArray[np.int64] = (self.first.sum(axis=2) > self.second.sum(axis=2)).sum(axis=1)
        return found


def compare_seeds(treebanks: Sequence[TreebankCounts], resamples: int = 10_000, seed: int = 1) -> list[Comparison]:
    """For each group, the difference of two systems, first less second, of the mean over seeds.

    Treebanks are pooled word by word. All groups are scored on the same draws, which are what takes time.
    """
    n_words = sum(each.words.sum(axis=1) for each in treebanks)
    observed = sum((each.first - each.second).mean(axis=1).sum(axis=1) for each in treebanks)
    random = np.random.default_rng(seed)
    found = []
    for start in range(0, resamples, DRAWS_AT_ONCE):
        draws = min(DRAWS_AT_ONCE, resamples - start)
        right = words = np.zeros(())
        for each in treebanks:
            n_groups, n_seeds, n = each.first.shape
            counts = draw_counts(random, n, draws)
            weights = _seed_weights(random, n_seeds, draws)
            by_seed = (counts @ (each.first - each.second).reshape(-1, n).T).reshape(draws, n_groups, n_seeds)
            right = right + (by_seed * weights[:, None]).sum(axis=2)
            words = words + counts @ each.words.T
        found.append(100.0 * right / np.maximum(1.0, words))
    drawn = np.concatenate(found)
    n_sentences = sum((each.words > 0).sum(axis=1) for each in treebanks)
    differences = 100.0 * np.asarray(observed) / np.maximum(1.0, n_words)
    return [
        Comparison.of(float(difference), drawn[:, group], int(np.asarray(n_sentences)[group]))
        for group, difference in enumerate(differences)
    ]


def _seed_weights(random: np.random.Generator, n_seeds: int, draws: int) -> NDArray[np.float64]:
    """How much each seed counts in each draw: 1 in sum. *Shape:* ``(draws, n_seeds)``."""
    if n_seeds == 1:
        return np.ones((draws, 1))
    shares = draw_counts(random, n_seeds, draws) / n_seeds
    stretched: NDArray[np.float64] = 1.0 / n_seeds + (shares - 1.0 / n_seeds) * np.sqrt(n_seeds / (n_seeds - 1))
    return stretched
