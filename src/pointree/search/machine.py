"""The state machine of a search: what every transition system must say of many hypotheses at once.

A search asks the machine which states a step reads and which positions are legal, and tells it what was chosen. What
pointing means is the machine's own affair: bottom-up the focus word gets its head, top-down it gets a dependent or is
popped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from pointree.search.arrays import Array, Arrays
from pointree.transitions import Constraints

__all__ = ["Machine"]


class Machine(ABC):
    """Rows of hypotheses, each a tree in the making.

    *Shape:* all tables are ``(n_rows, n_positions)``; ``previous`` is ``(n_rows,)``, ``focus`` ``(n_rows, 1)``.

    Attributes:
        arrays: The library of all arrays.
        columns: The numbers of the positions, ``(n_positions,)``.
        exists: Which positions are in the sentence.
        heads: The head of each word that has one.
        log_probs: The log-probability of each word's arc. The sum of a row is that of all steps so far.
        state_ids: The id of the decoder state that gave each word its head; 0 for words without one, and for ROOT.
        previous: The id of the decoder state of the step before.
        focus: The focus words, where they depend on the hypothesis; None where the order has them in a fixed sequence.
        windows: Where crossings are not allowed, the first and the last position that each node may be joined to.
    """

    by_row: ClassVar[tuple[str, ...]] = ("exists", "heads", "log_probs", "state_ids", "previous")
    """The attributes that have a row for each hypothesis; a subclass adds its own."""

    def __init__(self, arrays: Arrays, lengths: Sequence[int], constraints: Constraints) -> None:
        """One hypothesis without arcs for each sentence; ``lengths`` are the numbers of their words.

        The decoder states that come before the first step have the ids from 1 on.
        """
        n_rows, n_positions = len(lengths), max(lengths) + 1
        shape = (n_rows, n_positions)
        self.arrays = arrays
        self.constraints = constraints
        self.columns = arrays.arange(0, n_positions)
        self.exists = self.columns <= arrays.from_numpy(np.asarray(lengths))[:, None]
        self.heads = arrays.full(shape, 0, "int")
        self.log_probs = arrays.full(shape, 0.0, "float")
        self.state_ids = arrays.full(shape, 0, "int")
        self.previous = arrays.arange(1, 1 + n_rows)
        self.focus: Array | None = None
        self.windows: tuple[Array, Array] | None = None
        if constraints.projective:
            self.windows = (arrays.full(shape, 0, "int"), arrays.full(shape, n_positions, "int"))

    def select(self, rows: Array | slice) -> None:
        """Keep, drop, repeat or reorder hypotheses."""
        for name in self.by_row:
            setattr(self, name, getattr(self, name)[rows])
        if self.windows is not None:
            self.windows = (self.windows[0][rows], self.windows[1][rows])

    def sources(self, focus: Array) -> Array:
        """The ids of the decoder states that the step of the focus words reads, previous state first.

        *Shape:* ``focus`` is ``(n_rows, 1)``; returns ``(n_rows, 1 + n_slots)``.
        """
        state_ids = [self.previous[:, None]]
        state_ids.extend(self.arrays.gather(self.state_ids, words) for words in self._read_words(focus))
        return self.arrays.join(state_ids) if len(state_ids) > 1 else state_ids[0]

    @abstractmethod
    def _read_words(self, focus: Array) -> Iterator[Array]:
        """The words in each slot of the focus words. *Shape:* ``(n_rows, 1)`` each."""

    @abstractmethod
    def legal(self, focus: Array) -> Array:
        """The positions that the focus words may point at, one at least. *Shape:* ``(n_rows, n_positions)``."""

    @abstractmethod
    def point(self, focus: Array, position: Array, log_prob: Array, state_ids: Array) -> None:
        """Let every focus word point at a position.

        *Shape:* ``focus``, ``position`` and ``log_prob`` are ``(n_rows, 1)``; ``state_ids``, of the step's own decoder
        states, is ``(n_rows,)``.
        """

    def _crosses_nothing(self, focus: Array, lo: Array, hi: Array) -> Array:
        """Whether an arc between the focus word and each position lies in the windows of both."""
        arrays, columns = self.arrays, self.columns
        return (
            (arrays.gather(lo, focus) <= columns)
            & (columns <= arrays.gather(hi, focus))
            & (lo <= focus)
            & (focus <= hi)
        )

    def _narrow_windows(self, focus: Array, position: Array) -> None:
        """Let later arcs cross none between these words."""
        if self.windows is not None:
            arrays, (lo, hi) = self.arrays, self.windows
            left, right = arrays.minimum(focus, position), arrays.maximum(focus, position)
            inside = (left < self.columns) & (self.columns < right)
            self.windows = (
                arrays.where(inside, arrays.maximum(lo, left), lo),
                arrays.where(inside, arrays.minimum(hi, right), hi),
            )
