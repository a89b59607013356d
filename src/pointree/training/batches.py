"""The batches of an epoch; they depend on seed and epoch alone.

With `words`, a batch has similar sentences and about as many words as any other: sentences of one length need the
fewest steps for their words. With `sentences`, as in the paper, it has exactly as many sentences, drawn at random. The
first made better parsers (docs/notes/ablations.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pointree.config import TrainingConfig

__all__ = ["epoch_batches", "random_batches", "similar_batches"]

_BLUR = (0.8, 1.25)
"""Lengths are multiplied by a number between these before they are sorted, so that every epoch has other batches."""


def epoch_batches(lengths: Sequence[int], training: TrainingConfig, epoch: int) -> list[list[int]]:
    """The batches that the settings ask for."""
    make = similar_batches if training.batching == "words" else random_batches
    return make(lengths, training.batch_size, training.seed, epoch)


def random_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Group the numbers of sentences at random, each group sorted by falling length.

    A batch has exactly ``batch_size`` sentences, the last one those that are left.
    """
    order = np.random.default_rng((seed, epoch)).permutation(len(lengths))
    groups = np.split(order, range(batch_size, len(lengths), batch_size))
    return [sorted(group.tolist(), key=lambda number: -lengths[number]) for group in groups]


def similar_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Group the numbers of sentences, each group sorted by falling length.

    A batch has as many words as ``batch_size`` average sentences, or one sentence that has more.
    """
    random = np.random.default_rng((seed, epoch))
    words = np.asarray(lengths, dtype=np.float64)
    order = np.argsort((words + random.uniform(0, 1, len(words))) * random.uniform(*_BLUR, len(words)))
    middles = np.cumsum(words[order]) - words[order] / 2  # counted in words, where each sentence's middle lies
    n_batches = math.ceil(len(words) / batch_size)
    places = (middles / words.sum() * n_batches).astype(int)
    groups = np.split(order, np.flatnonzero(np.diff(places)) + 1)
    batches = [sorted(group.tolist(), key=lambda number: -lengths[number]) for group in groups]
    return [batches[place] for place in random.permutation(len(batches))]
