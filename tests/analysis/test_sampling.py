"""Samples of sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.analysis.sampling import sample_sentences
from pointree.errors import UsageError


@given(st.lists(st.integers(1, 40), min_size=1, max_size=100), st.integers(1, 800), st.integers(0, 99))
def test_a_sample_has_about_as_many_words(lengths: list[int], words: int, seed: int) -> None:
    chosen = sample_sentences(lengths, words, seed)
    assert sorted(set(chosen.tolist())) == chosen.tolist(), "whole sentences, each once, in their order"
    total = sum(lengths[number] for number in chosen)
    assert abs(total - words) <= max(lengths) or total == sum(lengths) <= words
    assert np.array_equal(sample_sentences(lengths, words, seed), chosen)


def test_where_there_are_too_few_all_are_taken() -> None:
    assert sample_sentences([3, 4], 10_000, 1).tolist() == [0, 1]
    assert sample_sentences([], 5, 1).tolist() == []


def test_seeds_differ_and_nothing_cannot_be_sampled() -> None:
    lengths = [10] * 100
    assert sample_sentences(lengths, 200, 1).tolist() != sample_sentences(lengths, 200, 2).tolist()
    with pytest.raises(UsageError, match=r"^a sample must have at least 1 word, found 0$"):
        sample_sentences(lengths, 0, 1)
