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

from pointree.analysis.bootstrap import DRAWS_AT_ONCE, Comparison

__all__ = ["Part", "compare_seeds"]


@dataclass(frozen=True, slots=True)
class Part:
    """One treebank: its words, and what two systems got right of them.

    *Shape:* ``words`` is ``(n_sentences,)``, ``first`` and ``second`` are ``(n_seeds, n_sentences)``.
    """

    words: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @property
    def ahead(self) -> int:
        """The number of seeds with which the first system has more right words."""
        return int((self.first.sum(axis=1) > self.second.sum(axis=1)).sum())


def compare_seeds(parts: Sequence[Part], resamples: int = 10_000, seed: int = 1) -> Comparison:
    """The difference of two systems, first less second, of the mean over seeds; parts are pooled word by word."""
    n_words = sum(part.words.sum() for part in parts)
    observed = 100.0 * sum((part.first - part.second).mean(axis=0).sum() for part in parts) / max(1.0, n_words)
    random = np.random.default_rng(seed)
    found = []
    for start in range(0, resamples, DRAWS_AT_ONCE):
        draws = min(DRAWS_AT_ONCE, resamples - start)
        right, words = np.zeros(draws), np.zeros(draws)
        for part in parts:
            n_seeds, n = part.first.shape
            counts = random.multinomial(n, np.full(n, 1.0 / n), size=draws).astype(np.float64)
            weights = _seed_weights(random, n_seeds, draws)
            right += ((counts @ (part.first - part.second).T) * weights).sum(axis=1)
            words += counts @ part.words
        found.append(100.0 * right / np.maximum(1.0, words))
    return Comparison.of(float(observed), np.concatenate(found), sum(len(part.words) for part in parts))


def _seed_weights(random: np.random.Generator, n_seeds: int, draws: int) -> NDArray[np.float64]:
    """How much each seed counts in each draw: 1 in sum. *Shape:* ``(draws, n_seeds)``."""
    if n_seeds == 1:
        return np.ones((draws, 1))
    shares = random.multinomial(n_seeds, np.full(n_seeds, 1.0 / n_seeds), size=draws) / n_seeds
    stretched: NDArray[np.float64] = 1.0 / n_seeds + (shares - 1.0 / n_seeds) * np.sqrt(n_seeds / (n_seeds - 1))
    return stretched
