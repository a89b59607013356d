"""Where the words of a batch lie: sentences sorted by length, their positions packed step by step without padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A time-major packing of sequences that are sorted by length, longest first.

    The sequences that are still running at step ``t`` are the first ``active[t]`` of the batch, and their elements
    are the rows ``offsets[t] : offsets[t] + active[t]``. A recurrent step is therefore one contiguous slice, no
    element is padding, and a finished sequence costs nothing.
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(a < b for a, b in zip(self.lengths, self.lengths[1:], strict=False)):
            raise ValueError("sequences must be sorted by length, longest first")

    @classmethod
    def of_lengths(cls, lengths: Sequence[int]) -> Layout:
        """The layout of sequences with these lengths."""
        return Layout(tuple(int(length) for length in lengths))

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        """Which (sequence, step) pairs exist. *Shape:* ``(batch_size, n_steps)``."""
        return np.arange(self.n_steps)[None, :] < np.asarray(self.lengths)[:, None]

    @cached_property
    def active(self) -> list[int]:
        """How many sequences are running at each step."""
        counts: list[int] = self.mask.sum(axis=0).tolist()
        return counts

    @cached_property
    def offsets(self) -> list[int]:
        """The first row of each step, and the number of rows at the end."""
        return [0, *np.cumsum(self.active).tolist()]

    @property
    def batch_size(self) -> int:
        """The number of sequences."""
        return len(self.lengths)

    @property
    def n_steps(self) -> int:
        """The length of the longest sequence."""
        return self.lengths[0]

    @property
    def n_rows(self) -> int:
        """The number of elements in all sequences."""
        return self.offsets[-1]

    @cached_property
    def table(self) -> IntArray:
        """The row of each (sequence, step), and 0 where there is none. *Shape:* ``(batch_size, n_steps)``."""
        rows = np.asarray(self.offsets[:-1])[None, :] + np.arange(self.batch_size)[:, None]
        return np.where(self.mask, rows, 0)

    @cached_property
    def owners(self) -> IntArray:
        """The sequence that each row belongs to. *Shape:* ``(n_rows,)``."""
        return self.pack(np.broadcast_to(np.arange(self.batch_size)[:, None], self.mask.shape))

    @cached_property
    def mirrored(self) -> IntArray:
        """The row that stands at each row's place when every sequence is read backwards. *Shape:* ``(n_rows,)``."""
        steps = np.arange(self.n_steps)[None, :]
        columns = np.clip(np.asarray(self.lengths)[:, None] - 1 - steps, 0, None)
        return self.pack(np.take_along_axis(self.table, columns, axis=1))

    @cached_property
    def ends(self) -> IntArray:
        """The row of each sequence's last element. *Shape:* ``(batch_size,)``."""
        ends: IntArray = self.table[np.arange(self.batch_size), np.asarray(self.lengths) - 1]
        return ends

    def pack(self, padded: np.ndarray) -> np.ndarray:
        """Bring ``(batch_size, n_steps, ...)`` into packed order ``(n_rows, ...)``."""
        packed: np.ndarray = padded.swapaxes(0, 1)[self.mask.T]
        return packed
