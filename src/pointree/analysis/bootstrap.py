"""Is one system better than another, or was it lucky with this test set? The paired bootstrap over sentences.

From a test set of s sentences, s are drawn with replacement, many times over; both systems are scored on the same
draw. The spread of their difference over the draws is the spread that another test set of the same kind would show.

The p-value answers: if the systems were equally good, how often would a difference at least as large as the observed
one appear? The draws are centred on the observed difference d, so they say how far a difference strays by chance:
p is the share of draws with |d* - d| ≥ |d| (two-sided; Efron and Tibshirani 1993, Berg-Kirkpatrick et al. 2012). One is
added to both sides of the ratio, since the test set itself is a draw; so p is never zero. Words of a sentence are
not independent, which is why whole sentences are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Comparison", "paired_bootstrap"]

_DRAWS_AT_ONCE = 500
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


def paired_bootstrap(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    words: NDArray[np.float64],
    *,
    resamples: int = 10_000,
    seed: int = 1,
) -> Comparison:
    """Compare two systems by their correct words and the words of each sentence.

    *Shape:* all ``(n_sentences,)``. The accuracy of a draw is correct words over words, as on the test set.
    """
    gain = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    words = np.asarray(words, dtype=np.float64)
    observed = 100.0 * gain.sum() / words.sum()
    differences = _resampled(np.stack([gain, words], axis=1), resamples, np.random.default_rng(seed))
    strays = np.abs(differences - observed) >= abs(observed) - _TOLERANCE
    low, high = np.percentile(differences, [2.5, 97.5])
    p_value = (1 + int(strays.sum())) / (1 + resamples)
    return Comparison(float(observed), float(low), float(high), p_value)


def _resampled(columns: NDArray[np.float64], resamples: int, random: np.random.Generator) -> NDArray[np.float64]:
    """The difference on each draw. How often each sentence is drawn is multinomial, so a draw is a product."""
    n = len(columns)
    found = []
    for start in range(0, resamples, _DRAWS_AT_ONCE):
        draws = min(_DRAWS_AT_ONCE, resamples - start)
        counts = random.multinomial(n, np.full(n, 1.0 / n), size=draws)
        sums = counts @ columns
        found.append(100.0 * sums[:, 0] / sums[:, 1])
    return np.concatenate(found)
