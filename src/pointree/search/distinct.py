"""The distinct rows of a table, so that equal rows are computed once."""

from __future__ import annotations

from pointree.search.arrays import Array, Arrays

__all__ = ["distinct_rows"]


def distinct_rows(arrays: Arrays, table: Array, bound: int) -> tuple[Array, Array]:
    """The index of one row for each distinct row, and for each row, which of them it equals.

    All numbers of the table must be below ``bound``.

    *Shape:* ``table`` is ``(n_rows, n_columns)``; returns ``(n_distinct,)`` and ``(n_rows,)``.
    """
    n_rows, n_columns = table.shape
    distinct = inverse = arrays.full((n_rows,), 0, "int")
    for column in range(n_columns):
        # Numbers below n_rows and below the bound: combined they stay unique, and far from the end of 64 bits.
        distinct, inverse = arrays.distinct(inverse * bound + table[:, column])
    chosen = arrays.full((distinct.shape[0],), 0, "int")
    chosen[inverse] = arrays.arange(0, n_rows)
    return chosen, inverse
