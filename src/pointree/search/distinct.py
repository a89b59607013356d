"""Rows that are alike are computed once."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["distinct_rows"]


def distinct_rows(table: Tensor, bound: int) -> tuple[Tensor, Tensor]:
    """One row for each distinct row, and which of these each row equals; all numbers of the table are below ``bound``.

    *Shape:* ``table`` is ``(n_rows, n_columns)``; returns ``(n_distinct,)`` and ``(n_rows,)``.
    """
    n_rows = table.shape[0]
    distinct = inverse = table.new_zeros(n_rows)
    for column in table.unbind(1):
        # Numbers below n_rows and below the bound: combined they stay unique, and far from the end of 64 bits.
        distinct, inverse = torch.unique(inverse * bound + column, return_inverse=True)
    rows = torch.arange(n_rows, device=table.device)
    return rows.new_empty(distinct.shape[0]).scatter_(0, inverse, rows), inverse
