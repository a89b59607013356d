"""Batches of similar sentences with about as many words each; they depend on seed and epoch alone.

Sentences of one length need the fewest steps for their words. Batches of as many sentences of one length, and random
ones, made worse parsers (docs/notes/ablations.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["similar_batches"]

_BLUR = (0.8, 1.25)
"""Lengths are multiplied by a number between these before they are sorted, so that every epoch has other batches."""


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
