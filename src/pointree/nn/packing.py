"""The layout of a batch with its indices as tensors, for the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from pointree.batches.layout import Layout

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing(Layout):
    """A `Layout` on a device."""

    device: torch.device

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device | None = None) -> Packing:
        """The packing of sequences with these lengths."""
        return cls(tuple(int(length) for length in lengths), device or torch.device("cpu"))

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    @cached_property
    def padding_index(self) -> Tensor:
        """The row of each (sequence, step) as a tensor. *Shape:* ``(batch_size, n_steps)``."""
        return self._tensor(self.table)

    def pad(self, packed: Tensor) -> Tensor:
        """Bring ``(n_rows, width)`` to ``(batch_size, n_steps, width)``; what does not exist repeats row 0."""
        padded = packed.index_select(0, self.padding_index.flatten())
        return padded.view(self.batch_size, self.n_steps, *packed.shape[1:])

    @cached_property
    def sentence_index(self) -> Tensor:
        """The sequence that each row belongs to. *Shape:* ``(n_rows,)``."""
        return self._tensor(self.owners)

    @cached_property
    def reversal(self) -> Tensor:
        """The row that stands at each row's place when every sequence is read backwards. *Shape:* ``(n_rows,)``."""
        return self._tensor(self.mirrored)

    @cached_property
    def predecessors(self) -> Tensor:
        """The row of the step before, for every row after the first step. *Shape:* ``(n_rows - batch_size,)``."""
        shifted = np.zeros_like(self.table)
        shifted[:, 1:] = self.table[:, :-1]
        return self._tensor(self.pack(shifted)[self.batch_size :])

    @cached_property
    def last_rows(self) -> Tensor:
        """The row of each sequence's last element. *Shape:* ``(batch_size,)``."""
        return self._tensor(self.ends)

    @cached_property
    def flat_index(self) -> Tensor:
        """Each row's place in a padded and flattened ``(batch_size · n_steps)``. *Shape:* ``(n_rows,)``."""
        places = np.arange(self.batch_size * self.n_steps).reshape(self.batch_size, self.n_steps)
        return self._tensor(self.pack(places))

    @cached_property
    def length_tensor(self) -> Tensor:
        """The lengths as a tensor. *Shape:* ``(batch_size,)``."""
        return torch.tensor(self.lengths, device=self.device)
