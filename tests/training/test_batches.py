"""Batches: all sentences, similar lengths, equal numbers of words, an order that depends on seed and epoch alone."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.config import TrainingConfig, load_config
from pointree.training.batches import epoch_batches, random_batches, similar_batches

lengths_of_sentences = st.lists(st.integers(1, 30), min_size=1, max_size=80)
sizes = st.integers(1, 12)
numbers = st.integers(0, 2**32 - 1)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_an_epoch_has_every_sentence_once(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    batches = similar_batches(lengths, size, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert all(batches)
    assert len(batches) <= math.ceil(len(lengths) / size)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_the_longest_sentence_comes_first(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    for batch in similar_batches(lengths, size, seed, epoch):
        found = [lengths[number] for number in batch]
        assert found == sorted(found, reverse=True)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_batches_have_about_as_many_words(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    average = sum(lengths) / math.ceil(len(lengths) / size)
    for batch in similar_batches(lengths, size, seed, epoch):
        assert sum(lengths[number] for number in batch) < average + max(lengths[number] for number in batch) + 1e-6


def test_batches_hold_similar_lengths_in_random_order() -> None:
    lengths = [3] * 400 + [30] * 400
    batches = similar_batches(lengths, 16, seed=1, epoch=1)
    kinds = [{lengths[number] for number in batch} for batch in batches]
    assert len(batches) == 50
    assert sum(len(kind) == 1 for kind in kinds) >= 49
    assert kinds != sorted(kinds, key=max)
    assert {len(batch) for batch, kind in zip(batches, kinds, strict=True) if kind == {3}} <= set(range(80, 95))


def test_seed_and_epoch_alone_decide() -> None:
    lengths = [5, 7, 9] * 40
    first = similar_batches(lengths, 8, seed=1, epoch=1)
    assert similar_batches(lengths, 8, seed=1, epoch=1) == first
    others = [similar_batches(lengths, 8, seed, epoch) for seed, epoch in ((1, 2), (2, 1), (1, 3))]
    for other in others:
        assert {frozenset(batch) for batch in other} != {frozenset(batch) for batch in first}


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_random_batches_have_exactly_as_many_sentences(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    batches = random_batches(lengths, size, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert {len(batch) for batch in batches[:-1]} <= {size}
    assert 1 <= len(batches[-1]) <= size
    for batch in batches:
        assert [lengths[number] for number in batch] == sorted((lengths[number] for number in batch), reverse=True)
    assert random_batches(lengths, size, seed, epoch) == batches


@pytest.mark.parametrize(("preset", "exactly"), [("paper", True), ("cpu", False), ("quick", False)])
def test_the_paper_has_batches_of_32_sentences(preset: str, exactly: bool) -> None:
    lengths = [number % 40 + 1 for number in range(320)]
    sizes = {len(batch) for batch in epoch_batches(lengths, load_config(None, preset=preset).training, 1)}
    assert (sizes == {32}) is exactly
    assert epoch_batches(lengths, TrainingConfig(), 1) == similar_batches(lengths, 32, 1, 1), "as before the choice"
