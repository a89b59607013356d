"""Tests of the plan of batches and windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.errors import InputError
from pointree.running.batching import _MAX_CELLS, MAX_BATCH_SENTENCES, plan_batches, windows


def test_windows_are_lists_in_order() -> None:
    assert list(windows("abcdefg", 3)) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert list(windows([], 3)) == []
    assert list(windows([1, 2], 2)) == [[1, 2]]


def test_a_fault_comes_after_the_windows_before_it() -> None:
    def faulty() -> Iterator[int]:
        yield from range(5)
        raise InputError("line 6")

    found = windows(faulty(), 3)
    assert next(found) == [0, 1, 2]
    with pytest.raises(InputError, match="line 6"):
        next(found)


def test_windows_take_no_more_than_they_give() -> None:
    numbers = count()
    assert list(islice(windows(numbers, 4), 2)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert next(numbers) == 8


@given(
    st.lists(st.integers(1, 200), max_size=300),
    st.integers(1, 3000),
    st.sampled_from([1, 2, 10]),
)
def test_every_sentence_is_in_one_batch_that_keeps_the_limits(lengths: list[int], batch_words: int, beam: int) -> None:
    batches = list(plan_batches(lengths, batch_words=batch_words, beam=beam))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[number] for number in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) <= MAX_BATCH_SENTENCES
        if len(batch) > 1:
            assert sum(sizes) * beam <= max(batch_words, beam * sizes[0])
            assert sum(sizes) * (sizes[0] + 1) * beam <= _MAX_CELLS


def test_batches_come_longest_first() -> None:
    assert list(plan_batches([2, 9, 5, 9], batch_words=14)) == [[1], [3, 2], [0]]


def test_a_sentence_beyond_all_limits_is_alone() -> None:
    assert list(plan_batches([10_000, 3, 3], batch_words=100, beam=10)) == [[0], [1, 2]]
    assert list(plan_batches([10_000, 9_000], batch_words=10**9)) == [[0], [1]]


def test_short_sentences_fill_a_batch() -> None:
    batches = list(plan_batches([1] * 1000, batch_words=10_000))
    assert [len(batch) for batch in batches] == [128] * 7 + [104]
