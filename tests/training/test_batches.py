"""Random batches: all sentences, lengths mixed, an order that depends on seed and epoch alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointree.training.batches import random_batches

lengths_of_sentences = st.lists(st.integers(1, 30), min_size=1, max_size=80)
sizes = st.integers(1, 12)
numbers = st.integers(0, 2**32 - 1)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_an_epoch_has_every_sentence_once(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    batches = random_batches(lengths, size, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)
    assert all(batches)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_the_longest_sentence_comes_first(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    for batch in random_batches(lengths, size, seed, epoch):
        found = [lengths[number] for number in batch]
        assert found == sorted(found, reverse=True)


def test_short_and_long_sentences_are_learned_together() -> None:
    lengths = [3] * 400 + [30] * 400
    means = [sum(lengths[number] for number in batch) / 16 for batch in random_batches(lengths, 16, seed=1, epoch=1)]
    assert min(means) > 3
    assert max(means) < 30


def test_seed_and_epoch_alone_decide() -> None:
    lengths = [5, 7, 9] * 40
    first = random_batches(lengths, 8, seed=1, epoch=1)
    assert random_batches(lengths, 8, seed=1, epoch=1) == first
    others = [random_batches(lengths, 8, seed, epoch) for seed, epoch in ((1, 2), (2, 1), (1, 3))]
    for other in others:
        assert {frozenset(batch) for batch in other} != {frozenset(batch) for batch in first}
