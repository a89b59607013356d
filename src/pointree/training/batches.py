"""Batches of similar lengths in a random order that depends on seed and epoch alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["bucketed_batches"]


def bucketed_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Group the numbers of sentences into batches, each sorted by falling length.

    Sentences of equal length are shuffled before they are cut into batches, and the batches are shuffled too.
    """
    random = np.random.default_rng((seed, epoch))
    keys = np.asarray(lengths) + random.random(len(lengths))
    order = np.argsort(-keys)
    batches = [order[start : start + batch_size].tolist() for start in range(0, len(order), batch_size)]
    for batch in batches:
        batch.sort(key=lambda number: -lengths[number])
    return [batches[number] for number in random.permutation(len(batches))]
