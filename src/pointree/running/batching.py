"""Which sentences are parsed together: of similar length, and never more than memory can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

__all__ = ["MAX_BATCH_SENTENCES", "plan_batches", "windows"]

Item = TypeVar("Item")

MAX_BATCH_SENTENCES = 128
"""Beyond this, multiplications get no faster and caches overflow."""

_MAX_CELLS = 1_000_000
"""Words times positions of a batch times its beam: what tables and scores of a step grow with."""


def windows(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Consecutive lists of up to ``size`` items; a fault of the input takes the list that it interrupts with it."""
    iterator = iter(items)
    while window := list(islice(iterator, size)):
        yield window


def plan_batches(
    lengths: Sequence[int], *, batch_words: int, beam: int = 1, most: int = MAX_BATCH_SENTENCES
) -> Iterator[list[int]]:
    """Group the numbers of sentences into batches, longest first, each sorted by falling length.

    A batch holds at most ``most`` sentences, ``batch_words`` words (fewer with a beam) and a bounded number of words
    times positions; a sentence beyond these limits is a batch of its own.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    batch: list[int] = []
    words = 0
    for number in order:
        longest = lengths[batch[0]] if batch else lengths[number]
        total = words + lengths[number]
        too_large = (
            total * beam > max(batch_words, beam * longest)
            or total * (longest + 1) * beam > _MAX_CELLS
            or len(batch) >= most
        )
        if batch and too_large:
            yield batch
            batch, words = [], 0
        batch.append(number)
        words += lengths[number]
    if batch:
        yield batch
