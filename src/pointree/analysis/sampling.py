"""A sample of a treebank: whole sentences at random, with about as many words as asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pointree.errors import UsageError

__all__ = ["sample_sentences"]


def sample_sentences(lengths: Sequence[int], words: int, seed: int) -> NDArray[np.int64]:
    """The numbers of the sampled sentences, in their order; all of them where there are no more words than asked for.

    Sentences are drawn until their words come closest to the number.
    """
    if words < 1:
        raise UsageError(f"a sample must have at least 1 word, found {words}")
    order = np.random.default_rng(seed).permutation(len(lengths))
    totals = np.cumsum(np.asarray(lengths)[order])
    if len(order) == 0 or totals[-1] <= words:
        return np.arange(len(order))
    return np.sort(order[: int(np.abs(totals - words).argmin()) + 1])
