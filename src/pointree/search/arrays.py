"""The array operations that search is written in, and numpy's side of them.

A search is the same whichever library holds its arrays. Arithmetic, comparisons and indexing are spelt alike in numpy
and torch; what is not is a method of `Arrays`. `pointree.engines.torch_arrays` has torch's side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

__all__ = ["Array", "Arrays", "Kind", "NumpyArrays"]

Array: TypeAlias = Any
"""An array of numpy or a tensor of torch; those of one search are all of one library."""

Kind = Literal["int", "float", "bool"]


class Arrays(Protocol):
    """What numpy and torch spell differently. *Shape:* tables are ``(n_rows, n_columns)``."""

    def from_numpy(self, array: np.ndarray) -> Array:
        """An array of this library with the values of one of numpy's."""

    def to_numpy(self, array: Array) -> np.ndarray:
        """The way back."""

    def full(self, shape: Sequence[int], value: float, kind: Kind) -> Array:
        """An array with one value everywhere."""

    def arange(self, start: int, stop: int) -> Array:
        """Consecutive numbers."""

    def copy(self, array: Array) -> Array:
        """An array that keeps its values when the other changes."""

    def gather(self, table: Array, columns: Array) -> Array:
        """In each row the values of some columns. *Shape:* ``columns`` and result ``(n_rows, k)``."""

    def put(self, table: Array, columns: Array, values: Array) -> None:
        """Write to one column of each row. *Shape:* both ``(n_rows, 1)``."""

    def where(self, condition: Array, yes: Array, no: Array | float) -> Array:
        """One value or the other, place by place."""

    def minimum(self, first: Array, second: Array) -> Array:
        """The smaller of two values, place by place."""

    def maximum(self, first: Array, second: Array) -> Array:
        """The larger of two values, place by place."""

    def join(self, arrays: Sequence[Array]) -> Array:
        """Tables side by side."""

    def repeat(self, array: Array, count: int) -> Array:
        """Every element several times, one after the other. *Shape:* ``(n,)`` to ``(n · count,)``."""

    def nonzero(self, array: Array) -> Array:
        """Where an array is true. *Shape:* ``(n,)`` to ``(n_true,)``."""

    def distinct(self, numbers: Array) -> tuple[Array, Array]:
        """The distinct numbers, and for each number which of them it is."""

    def best(self, table: Array) -> tuple[Array, Array]:
        """The greatest value of each row and its column. *Shape:* both ``(n_rows, 1)``."""

    def top(self, table: Array, count: int) -> tuple[Array, Array]:
        """The greatest values of each row, falling, and their columns. *Shape:* both ``(n_rows, count)``."""

    def ranking(self, table: Array) -> Array:
        """The columns of each row by falling value; equal values keep their order."""

    def exp(self, array: Array) -> Array:
        """The exponential of every value."""

    def log_softmax(self, table: Array) -> Array:
        """Logits of each row as log-probabilities."""

    def finite(self, logits: Array) -> Array:
        """Logits in 32 bits that can be compared and added: NaN becomes 0, and infinity a large number."""


_LARGE = np.float32(1e30)
_KINDS: dict[Kind, Any] = {"int": np.int64, "float": np.float32, "bool": np.bool_}


class NumpyArrays:
    """numpy's side of `Arrays`.

    A table of one row, which is what the search over a single sentence has, does without indices of rows: they would
    take most of the time of such a search.
    """

    def from_numpy(self, array: np.ndarray) -> Array:
        return array

    def to_numpy(self, array: Array) -> np.ndarray:
        return np.asarray(array)

    def full(self, shape: Sequence[int], value: float, kind: Kind) -> Array:
        return np.full(shape, value, dtype=_KINDS[kind])

    def arange(self, start: int, stop: int) -> Array:
        return np.arange(start, stop)

    def copy(self, array: Array) -> Array:
        return array.copy()

    def gather(self, table: Array, columns: Array) -> Array:
        if len(table) == 1:
            return table.take(columns[0], axis=1)
        # Indexing is several times as fast as take_along_axis, which does the same in Python.
        return table[np.arange(len(table))[:, None], columns]

    def put(self, table: Array, columns: Array, values: Array) -> None:
        if len(table) == 1:
            table[0, columns[0, 0]] = values[0, 0]
        else:
            table[np.arange(len(table)), columns[:, 0]] = values[:, 0]

    def where(self, condition: Array, yes: Array, no: Array | float) -> Array:
        return np.where(condition, yes, no)

    def minimum(self, first: Array, second: Array) -> Array:
        return np.minimum(first, second)

    def maximum(self, first: Array, second: Array) -> Array:
        return np.maximum(first, second)

    def join(self, arrays: Sequence[Array]) -> Array:
        return np.concatenate(arrays, axis=1)

    def repeat(self, array: Array, count: int) -> Array:
        return np.repeat(array, count)

    def nonzero(self, array: Array) -> Array:
        return np.flatnonzero(array)

    def distinct(self, numbers: Array) -> tuple[Array, Array]:
        distinct, inverse = np.unique(numbers, return_inverse=True)
        return distinct, inverse.reshape(-1)

    def best(self, table: Array) -> tuple[Array, Array]:
        columns = table.argmax(axis=1)[:, None]
        return self.gather(table, columns), columns

    def top(self, table: Array, count: int) -> tuple[Array, Array]:
        columns = self.ranking(table)[:, :count]
        return self.gather(table, columns), columns

    def ranking(self, table: Array) -> Array:
        return np.argsort(-table, axis=1, kind="stable")

    def exp(self, array: Array) -> Array:
        return np.exp(array)

    def log_softmax(self, table: Array) -> Array:
        shifted = table - np.maximum.reduce(table, axis=1, keepdims=True)
        return shifted - np.log(np.add.reduce(np.exp(shifted), axis=1, keepdims=True))

    def finite(self, logits: Array) -> Array:
        logits = np.asarray(logits, dtype=np.float32)
        if np.vdot(logits, logits) <= _LARGE:  # in one pass: NaN, infinity and all that come near it are not
            return logits
        return np.clip(np.where(np.isnan(logits), np.float32(0.0), logits), -_LARGE, _LARGE)
