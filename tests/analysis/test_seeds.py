"""The paired bootstrap over seeds and sentences on cases whose outcome is known."""

from __future__ import annotations

import numpy as np
import pytest

from pointree.analysis.bootstrap import Comparison, Resamples
from pointree.analysis.seeds import TreebankCounts, compare_seeds

WORDS = np.full(200, 10.0)


def part(differences: list[float], seed: int = 0, noise: float = 0.0) -> TreebankCounts:
    """A treebank on which the first system has so many more right words a sentence, with each seed."""
    base = np.full((len(differences), 200), 5.0)
    strays = noise * np.random.default_rng(seed).standard_normal(base.shape)
    return TreebankCounts(WORDS[None], (base + np.array(differences)[:, None] + strays)[None], base[None])


def compare(*parts: TreebankCounts, draws: int = 2000, seed: int = 1) -> Comparison:
    [found] = compare_seeds(parts, draws, seed)
    return found


def test_one_seed_is_the_bootstrap_over_sentences() -> None:
    random = np.random.default_rng(3)
    first, second = random.integers(3, 9, (2, 200)).astype(float)
    found = compare(TreebankCounts(WORDS[None], first[None, None], second[None, None]), draws=4000)
    expected = Resamples.draw(WORDS, [first, second], 4000, seed=1).compare(0, 1)
    assert found == expected


def test_seeds_that_disagree_widen_the_interval() -> None:
    alike, apart = compare(part([0.5] * 4)), compare(part([1.5, -0.5, 1.5, -0.5]))
    assert alike.difference == pytest.approx(5.0)
    assert apart.difference == pytest.approx(5.0)
    assert (alike.low, alike.high) == pytest.approx((5.0, 5.0))
    assert apart.low < 0 < apart.high
    assert alike.p_value < 0.001 < 0.05 < apart.p_value


def test_few_seeds_spread_as_far_as_new_ones_would() -> None:
    """The variance of the draws is s²/n of a sample, not the smaller one of its own distribution."""
    values = [1.0, 2.0, 4.0]
    found = compare(part(values), draws=20_000)
    spread = (found.high - found.low) / (2 * 1.96)
    expected = 10.0 * np.std(values, ddof=1) / np.sqrt(3)
    assert spread == pytest.approx(expected, rel=0.15)


def test_false_alarms_are_about_as_many_as_promised() -> None:
    """Equal systems with five seeds: about one in twenty is called different, some more for so few seeds."""
    alarms = 0
    random = np.random.default_rng(5)
    for number in range(200):
        own = [float(value) for value in random.standard_normal(5)]
        alarms += compare(part(own, number, noise=3.0), draws=300, seed=number).p_value < 0.05
    assert alarms <= 40


def test_treebanks_are_pooled_word_by_word() -> None:
    small = TreebankCounts(np.full((1, 10), 10.0), np.full((1, 1, 10), 10.0), np.zeros((1, 1, 10)))
    found = compare(part([0.0, 0.0]), small, draws=500)
    assert found.difference == pytest.approx(100.0 * 100 / 2100)
    assert (small.ahead.tolist(), part([1.0, -1.0, 1.0]).ahead.tolist()) == ([1], [2])


def test_groups_share_their_draws() -> None:
    one, other = part([1.0, 2.0]), part([0.5, -0.5])
    both = TreebankCounts(
        *(np.concatenate([getattr(each, name) for each in (one, other)]) for name in ("words", "first", "second"))
    )
    assert compare_seeds([both], 300) == [compare(each, draws=300) for each in (one, other)]
