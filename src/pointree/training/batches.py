"""Random batches that depend on seed and epoch alone.

Batches of similar lengths have fewer steps, but made worse parsers (experiments/README.md has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["random_batches"]


def random_batches(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Group the numbers of sentences into random batches, each sorted by falling length."""
    order = np.random.default_rng((seed, epoch)).permutation(len(lengths)).tolist()
    batches = (order[start : start + batch_size] for start in range(0, len(order), batch_size))
    return [sorted(batch, key=lambda number: -lengths[number]) for batch in batches]
