"""The distinct rows of a table, so that equal rows are computed once."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["distinct_rows"]


def distinct_rows(table: Tensor, bound: int) -> tuple[Tensor, Tensor]:
    """The index of one row for each distinct row, and for each row, which of them it equals.

    All numbers of the table must be below ``bound``.

    *Shape:* ``table`` is ``(n_rows, n_columns)``; returns ``(n_distinct,)`` and ``(n_rows,)``.
    """
    n_rows = table.shape[0]
    distinct = inverse = table.new_zeros(n_rows)
    for column in table.unbind(1):
        # Numbers below n_rows and below the bound: combined they stay unique, and far from the end of 64 bits.
        distinct, inverse = torch.unique(inverse * bound + column, return_inverse=True)
    rows = torch.arange(n_rows, device=table.device)
    return rows.new_empty(distinct.shape[0]).scatter_(0, inverse, rows), inverse
