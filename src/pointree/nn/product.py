"""Products of a few rows with a large weight: one slice of the weight's columns for each thread.

A library that splits such a product by itself reaches half of the machine's peak (docs/notes/speed.md has the
figures): the rows are too few to share. As a batch of products over slices of columns, every thread has a product of
its own.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["few_rows_product", "sliced_product"]

_FEW_ROWS = 384


def sliced_product(left: Tensor, weight: Tensor, slices: int) -> Tensor:
    """``left @ weight``, its columns cut into equal slices.

    *Shape:* ``(n, inputs)`` and ``(inputs, slices · width)``; returns ``(slices, n, width)``.
    """
    columns = weight.view(weight.shape[0], slices, -1).transpose(0, 1)
    return torch.bmm(left.expand(slices, *left.shape), columns)


def few_rows_product(left: Tensor, weight: Tensor) -> Tensor:
    """``left @ weight`` for a weight that is much larger than ``left``.

    *Shape:* ``(n, inputs)`` and ``(inputs, outputs)``; returns ``(n, outputs)``.
    """
    threads = torch.get_num_threads()
    if threads == 1 or left.shape[0] > _FEW_ROWS or weight.shape[1] % threads or left.device.type != "cpu":
        return torch.mm(left, weight)
    return sliced_product(left, weight, threads).transpose(0, 1).reshape(left.shape[0], -1)
