"""The paired bootstrap on cases whose outcome is known."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from pointree.analysis.bootstrap import Comparison, Resamples

WORDS = np.full(200, 10.0)


def paired_bootstrap(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    words: NDArray[np.float64],
    *,
    resamples: int = 10_000,
    seed: int = 1,
) -> Comparison:
    """Compare two systems by their correct words and the words of each sentence.

    *Shape:* all ``(n_sentences,)``.
    """
    return Resamples.draw(words, [first, second], resamples, seed).compare(0, 1)


def test_equal_systems() -> None:
    right = np.random.default_rng(0).integers(5, 10, 200).astype(float)
    found = paired_bootstrap(right, right, WORDS, resamples=500)
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_a_system_that_is_better_on_every_sentence() -> None:
    found = paired_bootstrap(np.full(200, 9.0), np.full(200, 8.0), WORDS, resamples=999)
    assert found.difference == pytest.approx(10.0)
    assert (found.low, found.high) == pytest.approx((10.0, 10.0))
    assert found.p_value == 1 / 1000, "no draw strays, and the test set itself is one"


def test_one_sentence_decides_nothing() -> None:
    first = np.full(200, 8.0)
    second = first.copy()
    first[0] += 1.0
    # Drawn k times, the sentence makes k times the difference: it strays by its own size unless k = 1.
    found = paired_bootstrap(first, second, WORDS, resamples=20_000)
    assert found.p_value == pytest.approx(1.0 - (1 - 1 / 200) ** 199, abs=0.02)


def test_a_test_set_of_one_sentence_proves_nothing() -> None:
    found = paired_bootstrap(np.array([9.0]), np.array([2.0]), np.array([10.0]), resamples=100)
    assert (found.difference, found.p_value) == (pytest.approx(70.0), 1.0)


@pytest.mark.parametrize(("sentences", "p_value"), [(2, 0.5), (5, 1 / 16), (9, 1 / 256)])
def test_few_sentences_prove_little_however_much_they_agree(sentences: int, p_value: float) -> None:
    words = np.full(sentences, 3.0)
    assert paired_bootstrap(words, words - 1, words, resamples=9_999).p_value == p_value


@pytest.mark.parametrize("shift", [0.05, 0.2, 0.4])
def test_it_agrees_with_the_normal_approximation(shift: float) -> None:
    gain = np.random.default_rng(4).normal(0.0, 1.0, 400)
    gain += shift - gain.mean()
    words = np.full(400, 12.0)
    found = paired_bootstrap(gain, np.zeros(400), words, resamples=20_000)
    z = shift / (gain.std() / sqrt(400))
    assert found.difference == pytest.approx(100 * shift / 12)
    assert found.p_value == pytest.approx(erfc(z / sqrt(2)), abs=0.015)
    half = 1.96 * 100 * gain.std() / sqrt(400) / 12
    assert (found.low, found.high) == pytest.approx((found.difference - half, found.difference + half), abs=0.05)


def test_it_is_antisymmetric_and_repeatable() -> None:
    random = np.random.default_rng(2)
    first, second = random.integers(3, 9, (2, 200)).astype(float)
    there = paired_bootstrap(first, second, WORDS, resamples=1_200, seed=7)
    back = paired_bootstrap(second, first, WORDS, resamples=1_200, seed=7)
    assert there == paired_bootstrap(first, second, WORDS, resamples=1_200, seed=7)
    assert there.p_value == back.p_value
    assert (there.difference, there.low) == pytest.approx((-back.difference, -back.high))
    assert there != paired_bootstrap(first, second, WORDS, resamples=1_200, seed=8)


def test_long_sentences_weigh_more() -> None:
    words = np.array([1.0, 99.0])
    found = paired_bootstrap(np.array([1.0, 0.0]), np.array([0.0, 0.0]), words, resamples=10)
    assert found.difference == pytest.approx(1.0)
