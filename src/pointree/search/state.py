"""Partial trees of many hypotheses at once: the batched twin of `pointree.transitions.PartialTree`.

A row is a hypothesis, a column a node of its sentence. Every operation is a few array operations over
``(n_rows, n_positions)``. The pure-Python tree is the specification, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pointree.search.arrays import Array, Arrays
from pointree.transitions import Constraints, Relative, Slot

__all__ = ["BatchedTrees"]


class BatchedTrees:
    """Rows of partial trees, and the ids of the decoder states that belong to their words; see `Machine`.

    *Shape:* all tables are ``(n_rows, n_positions)``.

    Attributes:
        heads: The head of each word that has one.
        log_probs: The log-probability with which it was chosen.
        tops: The top of each node's fragment.
        free: Which positions may have one more dependent: with a single root, ROOT has one at most.
        state_ids: The id of each word's decoder state; 0 for words without one, and for ROOT.
        slots: The dependent in each slot that fusion or legality asks for.
    """

    def __init__(
        self, arrays: Arrays, lengths: Sequence[int], slots: Sequence[Slot | Relative], constraints: Constraints
    ) -> None:
        """One tree without arcs for each sentence; ``lengths`` are the numbers of their words.

        The decoder states that come before the first step have the ids from 1 on.
        """
        n_rows, n_positions = len(lengths), max(lengths) + 1
        shape = (n_rows, n_positions)
        self.arrays = arrays
        self.constraints = constraints
        self.fused_slots = tuple(slot for slot in slots if isinstance(slot, Slot))
        self.focus = None  # the order has the focus words in a fixed sequence
        self.columns = arrays.arange(0, n_positions)
        self.exists = self.columns <= arrays.from_numpy(np.asarray(lengths))[:, None]
        self.tops = arrays.full(shape, 0, "int") + self.columns
        self.heads = arrays.full(shape, 0, "int")
        self.log_probs = arrays.full(shape, 0.0, "float")
        self.state_ids = arrays.full(shape, 0, "int")
        self.previous = arrays.arange(1, 1 + n_rows)
        self.free = arrays.copy(self.exists)
        tracked = set(self.fused_slots)
        self.windows: tuple[Array, Array] | None = None
        if constraints.projective:
            tracked |= {Slot.LEFTMOST, Slot.RIGHTMOST}
            self.windows = (arrays.full(shape, 0, "int"), arrays.full(shape, n_positions, "int"))
        self.slots = {slot: arrays.full(shape, 0, "int") for slot in sorted(tracked)}

    def select(self, rows: Array | slice) -> None:
        """Keep, drop, repeat or reorder hypotheses."""
        self.exists = self.exists[rows]
        self.tops = self.tops[rows]
        self.heads = self.heads[rows]
        self.log_probs = self.log_probs[rows]
        self.state_ids = self.state_ids[rows]
        self.previous = self.previous[rows]
        self.free = self.free[rows]
        self.slots = {slot: table[rows] for slot, table in self.slots.items()}
        if self.windows is not None:
            self.windows = (self.windows[0][rows], self.windows[1][rows])

    def sources(self, focus: Array) -> Array:
        """See `Machine`."""
        gather, state_ids = self.arrays.gather, [self.previous[:, None]]
        state_ids.extend(gather(self.state_ids, gather(self.slots[slot], focus)) for slot in self.fused_slots)
        return self.arrays.join(state_ids) if len(state_ids) > 1 else state_ids[0]

    def legal(self, focus: Array) -> Array:
        """See `Machine`: the positions that may be the head, by the rules of `pointree.transitions.legality`."""
        legal = (self.tops != focus) & self.free
        if self.windows is not None:
            legal &= self._projective(focus, *self.windows)
        return legal

    def _projective(self, focus: Array, lo: Array, hi: Array) -> Array:
        arrays, columns = self.arrays, self.columns
        crosses_nothing = (
            (arrays.gather(lo, focus) <= columns)
            & (columns <= arrays.gather(hi, focus))
            & (lo <= focus)
            & (focus <= hi)
        )
        left, right = arrays.minimum(columns, focus), arrays.maximum(columns, focus)
        covers_its_top = (left < self.tops) & (self.tops < right)
        leftmost = arrays.gather(self.slots[Slot.LEFTMOST], focus)
        first = arrays.where(leftmost > 0, leftmost, focus)
        last = arrays.maximum(arrays.gather(self.slots[Slot.RIGHTMOST], focus), focus)
        covered_by_focus = (first <= columns) & (columns <= last)
        return crosses_nothing & ~covers_its_top & ~covered_by_focus

    def point(self, focus: Array, position: Array, log_prob: Array, state_ids: Array) -> None:
        """See `Machine`: every focus word is attached to its head."""
        arrays, head = self.arrays, position
        self.tops = arrays.where(self.tops == focus, arrays.gather(self.tops, head), self.tops)
        arrays.put(self.heads, focus, head)
        arrays.put(self.log_probs, focus, log_prob)
        arrays.put(self.state_ids, focus, state_ids[:, None])
        self.previous = state_ids
        if self.constraints.single_root:
            self.free[:, :1] &= head > 0
        is_left = focus < head
        for slot, table in self.slots.items():
            held = arrays.gather(table, head)
            if slot is Slot.LEFTMOST:
                fills = is_left & ((held == 0) | (focus < held))
            elif slot is Slot.LAST_LEFT:
                fills = is_left
            elif slot is Slot.RIGHTMOST:
                fills = ~is_left & (focus > held)
            else:
                fills = ~is_left
            arrays.put(table, head, arrays.where(fills, focus, held))
        if self.windows is not None:
            lo, hi = self.windows
            left, right = arrays.minimum(focus, head), arrays.maximum(focus, head)
            inside = (left < self.columns) & (self.columns < right)
            self.windows = (
                arrays.where(inside, arrays.maximum(lo, left), lo),
                arrays.where(inside, arrays.minimum(hi, right), hi),
            )
