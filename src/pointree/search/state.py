"""Partial trees of many hypotheses at once: the batched twin of `pointree.transitions.PartialTree`.

A row is a hypothesis, a column a node of its sentence. Every operation is a few array operations over
``(n_rows, n_positions)``. The pure-Python tree is the specification, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointree.search.arrays import Array, Arrays
from pointree.search.machine import Machine
from pointree.transitions import Constraints, Relative, Slot

__all__ = ["BatchedTrees"]


class BatchedTrees(Machine):
    """Rows of partial trees, and the ids of the decoder states that belong to their words; see `Machine`.

    Attributes:
        tops: The top of each node's fragment.
        free: Which positions may have one more dependent: with a single root, ROOT has one at most.
        slots: The dependent in each slot that fusion or legality asks for.
    """

    by_row = (*Machine.by_row, "tops", "free")

    def __init__(
        self, arrays: Arrays, lengths: Sequence[int], slots: Sequence[Slot | Relative], constraints: Constraints
    ) -> None:
        """See `Machine`."""
        super().__init__(arrays, lengths, constraints)
        shape = self.heads.shape
        self.fused_slots = tuple(slot for slot in slots if isinstance(slot, Slot))
        self.tops = arrays.full(shape, 0, "int") + self.columns
        self.free = arrays.copy(self.exists)
        tracked = set(self.fused_slots)
        if constraints.projective:
            tracked |= {Slot.LEFTMOST, Slot.RIGHTMOST}
        self.slots = {slot: arrays.full(shape, 0, "int") for slot in sorted(tracked)}

    def select(self, rows: Array | slice) -> None:
        """See `Machine`."""
        super().select(rows)
        self.slots = {slot: table[rows] for slot, table in self.slots.items()}

    def _read_words(self, focus: Array) -> Iterator[Array]:
        """See `Machine`."""
        return (self.arrays.gather(self.slots[slot], focus) for slot in self.fused_slots)

    def legal(self, focus: Array) -> Array:
        """See `Machine`: the positions that may be the head, by the rules of `pointree.transitions.legality`."""
        legal = (self.tops != focus) & self.free
        if self.windows is not None:
            legal &= self._projective(focus, *self.windows)
        return legal

    def _projective(self, focus: Array, lo: Array, hi: Array) -> Array:
        arrays, columns = self.arrays, self.columns
        left, right = arrays.minimum(columns, focus), arrays.maximum(columns, focus)
        covers_its_top = (left < self.tops) & (self.tops < right)
        leftmost = arrays.gather(self.slots[Slot.LEFTMOST], focus)
        first = arrays.where(leftmost > 0, leftmost, focus)
        last = arrays.maximum(arrays.gather(self.slots[Slot.RIGHTMOST], focus), focus)
        covered_by_focus = (first <= columns) & (columns <= last)
        return self._crosses_nothing(focus, lo, hi) & ~covers_its_top & ~covered_by_focus

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
        self._narrow_windows(focus, head)
