"""Is one system better than another, or was it lucky with this test set? The paired bootstrap over sentences.

From a test set of s sentences, s are drawn with replacement, many times over; both systems are scored on the same
draw. The spread of their difference over the draws is the spread that another test set of the same kind would show.

The p-value answers: if the systems were equally good, how often would a difference at least as large as the observed
one appear? The draws are centred on the observed difference d, so they say how far a difference strays by chance:
p is the share of draws with |d* - d| ≥ |d| (two-sided; Efron and Tibshirani 1993, Berg-Kirkpatrick et al. 2012). One is
added to both sides of the ratio, since the test set itself is a draw; so p is never zero. Nor is it less than n
sentences can show, 2¹⁻ⁿ. Words of a sentence are not independent, which is why whole sentences are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["DRAWS_AT_ONCE", "Comparison", "Resamples", "draw_counts"]

DRAWS_AT_ONCE = 500
"""Bounds memory: a draw needs one number for each sentence."""

_TOLERANCE = 1e-9
"""Differences of accuracies that are equal on paper differ by rounding."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two accuracies in percentage points, first less second.

    Attributes:
        difference: As observed.
        low: The 2.5th percentile of the resampled differences.
        high: Their 97.5th percentile.
        p_value: How probable so large a difference is between equally good systems.
    """

    difference: float
    low: float
    high: float
    p_value: float

    @classmethod
    def of(cls, observed: float, drawn: NDArray[np.float64], n_sentences: int) -> Self:
        """Compare what was observed with the differences of the draws."""
        strays = np.abs(drawn - observed) >= abs(observed) - _TOLERANCE
        low, high = np.percentile(drawn, [2.5, 97.5])
        p_value = (1 + int(strays.sum())) / (1 + len(drawn))
        # Few sentences show little spread, and a single one none. But if it were mere chance which system is the better
        # one on a sentence, the same would be so on all of them in one of 2ⁿ⁻¹ cases.
        return cls(observed, float(low), float(high), max(p_value, 2.0 ** (1 - n_sentences)))


@dataclass(frozen=True, slots=True)
class Resamples:
    """Counts of correct words on the test set and on draws from it, for any number of systems.

    *Shape:* ``observed`` is ``(1 + n_systems,)``, ``drawn`` ``(resamples, 1 + n_systems)``; the first column counts all
    words. ``n_sentences`` is the size of the test set.
    """

    observed: NDArray[np.float64]
    drawn: NDArray[np.float64]
    n_sentences: int

    @classmethod
    def draw(cls, words: NDArray[Any], correct: Sequence[NDArray[Any]], resamples: int, seed: int) -> Self:
        """Draw sentences. *Shape:* ``words`` and the correct words of each system are ``(n_sentences,)``."""
        columns = np.stack([words, *correct], axis=1).astype(np.float64)
        n, random = len(columns), np.random.default_rng(seed)
        found = []
        for start in range(0, resamples, DRAWS_AT_ONCE):
            draws = min(DRAWS_AT_ONCE, resamples - start)
            found.append(draw_counts(random, n, draws) @ columns)
        return cls(columns.sum(axis=0), np.concatenate(found), n)

    def compare(self, first: int, second: int) -> Comparison:
        """Two systems, numbered from 0. Accuracy is correct words over words, on a draw as on the test set."""
        observed = float(100.0 * (self.observed[1 + first] - self.observed[1 + second]) / self.observed[0])
        differences = 100.0 * (self.drawn[:, 1 + first] - self.drawn[:, 1 + second]) / self.drawn[:, 0]
        return Comparison.of(observed, differences, self.n_sentences)


def draw_counts(random: np.random.Generator, n: int, draws: int) -> NDArray[np.float64]:
    """How often each of n things is drawn, with replacement, in each draw of n: a draw is a row of a product.

    *Shape:* ``(draws, n)``.
    """
    drawn = random.integers(n, size=(draws, n)) + n * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)
