"""Where the words of a batch lie: sentences sorted by length, their positions packed step by step without padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing:
    """A time-major packing of sequences that are sorted by length, longest first.

    The sequences that are still running at step ``t`` are the first ``active[t]`` of the batch, and their elements
    are the rows ``offsets[t] : offsets[t] + active[t]``. A recurrent step is therefore one contiguous slice, no
    element is padding, and a finished sequence costs nothing.
    """

    lengths: tuple[int, ...]
    device: torch.device

    def __post_init__(self) -> None:
        if any(a < b for a, b in zip(self.lengths, self.lengths[1:], strict=False)):
            raise ValueError("sequences must be sorted by length, longest first")

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device | None = None) -> Packing:
        """The packing of sequences with these lengths."""
        return cls(tuple(int(length) for length in lengths), device or torch.device("cpu"))

    @cached_property
    def mask(self) -> np.ndarray:
        """Which (sequence, step) pairs exist. *Shape:* ``(batch_size, n_steps)``."""
        return np.arange(self.n_steps)[None, :] < np.asarray(self.lengths)[:, None]

    @cached_property
    def active(self) -> list[int]:
        """How many sequences are running at each step."""
        return [int(count) for count in self.mask.sum(axis=0)]

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
    def table(self) -> np.ndarray:
        """The row of each (sequence, step), and 0 where there is none. *Shape:* ``(batch_size, n_steps)``."""
        rows = np.asarray(self.offsets[:-1])[None, :] + np.arange(self.batch_size)[:, None]
        return np.where(self.mask, rows, 0)

    def pack(self, padded: np.ndarray) -> np.ndarray:
        """Bring ``(batch_size, n_steps, ...)`` into packed order ``(n_rows, ...)``."""
        packed: np.ndarray = padded.swapaxes(0, 1)[self.mask.T]
        return packed

    @cached_property
    def padding_index(self) -> Tensor:
        """The row of each (sequence, step) as a tensor. *Shape:* ``(batch_size, n_steps)``."""
        return torch.from_numpy(self.table).to(self.device)

    def pad(self, packed: Tensor) -> Tensor:
        """Bring ``(n_rows, width)`` to ``(batch_size, n_steps, width)``; what does not exist repeats row 0."""
        padded = packed.index_select(0, self.padding_index.flatten())
        return padded.view(self.batch_size, self.n_steps, *packed.shape[1:])

    @cached_property
    def sentence_index(self) -> Tensor:
        """The sequence that each row belongs to. *Shape:* ``(n_rows,)``."""
        owners = np.broadcast_to(np.arange(self.batch_size)[:, None], self.mask.shape)
        return torch.from_numpy(self.pack(owners)).to(self.device)

    @cached_property
    def reversal(self) -> Tensor:
        """The row that stands at each row's place when every sequence is read backwards. *Shape:* ``(n_rows,)``."""
        steps = np.arange(self.n_steps)[None, :]
        mirrored = np.clip(np.asarray(self.lengths)[:, None] - 1 - steps, 0, None)
        return torch.from_numpy(self.pack(np.take_along_axis(self.table, mirrored, axis=1))).to(self.device)

    @cached_property
    def predecessors(self) -> Tensor:
        """The row of the step before, for every row after the first step. *Shape:* ``(n_rows - batch_size,)``."""
        shifted = np.zeros_like(self.table)
        shifted[:, 1:] = self.table[:, :-1]
        return torch.from_numpy(self.pack(shifted)[self.batch_size :]).to(self.device)

    @cached_property
    def last_rows(self) -> Tensor:
        """The row of each sequence's last element. *Shape:* ``(batch_size,)``."""
        last = np.asarray(self.lengths)[:, None] - 1
        return torch.from_numpy(np.take_along_axis(self.table, last, axis=1)[:, 0]).to(self.device)

    @cached_property
    def flat_index(self) -> Tensor:
        """Each row's place in a padded and flattened ``(batch_size · n_steps)``. *Shape:* ``(n_rows,)``."""
        places = np.arange(self.batch_size * self.n_steps).reshape(self.batch_size, self.n_steps)
        return torch.from_numpy(self.pack(places)).to(self.device)

    @cached_property
    def length_tensor(self) -> Tensor:
        """The lengths as a tensor. *Shape:* ``(batch_size,)``."""
        return torch.tensor(self.lengths, device=self.device)
