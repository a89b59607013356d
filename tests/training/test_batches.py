"""Bucketed batches: all sentences, similar lengths, an order that depends on seed and epoch alone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pointree.training.batches import bucketed_batches

lengths_of_sentences = st.lists(st.integers(1, 30), min_size=1, max_size=80)
sizes = st.integers(1, 12)
numbers = st.integers(0, 2**32 - 1)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_an_epoch_has_every_sentence_once(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    batches = bucketed_batches(lengths, size, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert sorted(map(len, batches), reverse=True)[:-1] == [size] * (len(batches) - 1)
    assert all(batches)


@given(lengths_of_sentences, sizes, numbers, st.integers(1, 500))
def test_batches_hold_neighbours_in_length_longest_first(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    spans = []
    for batch in bucketed_batches(lengths, size, seed, epoch):
        found = [lengths[number] for number in batch]
        assert found == sorted(found, reverse=True)
        spans.append((found[0], found[-1]))
    spans.sort(reverse=True)
    assert all(shortest >= longest for (_, shortest), (longest, _) in pairwise(spans))


def test_seed_and_epoch_alone_decide() -> None:
    lengths = [5, 7, 9] * 40
    first = bucketed_batches(lengths, 8, seed=1, epoch=1)
    assert bucketed_batches(lengths, 8, seed=1, epoch=1) == first
    others = [bucketed_batches(lengths, 8, seed, epoch) for seed, epoch in ((1, 2), (2, 1), (1, 3))]
    # Both what stands together and the order of the batches change.
    for other in others:
        assert {frozenset(batch) for batch in other} != {frozenset(batch) for batch in first}
        assert [lengths[batch[0]] for batch in other] != [lengths[batch[0]] for batch in first]
