"""Top-down hypotheses by the batch: the batched twin of `pointree.transitions.top_down.TopDownState`.

A row is a hypothesis, a column a node of its sentence. The stack of a hypothesis is the path from ROOT to its focus
word, so a pop moves the focus to its head. The pure-Python state is the specification, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointree.search.arrays import Array, Arrays
from pointree.search.machine import Machine
from pointree.transitions import Constraints, Relative, Slot

__all__ = ["BatchedStacks"]


class BatchedStacks(Machine):
    """Rows of trees that grow downwards from ROOT, as `Machine` describes them.

    Attributes:
        log_probs: The log-probability with which each word was chosen as a dependent; the column of ROOT has that of
            all pops.
        waiting: Which words have no head yet.
        on_stack: Which nodes are on the stack.
        last: The last dependent of each node, 0 for none.
        siblings: For each word, the dependent that its head got before it, 0 for none.
    """

    by_row = (*Machine.by_row, "focus", "waiting", "on_stack", "last", "siblings")

    def __init__(
        self, arrays: Arrays, lengths: Sequence[int], slots: Sequence[Slot | Relative], constraints: Constraints
    ) -> None:
        """ROOT alone on the stack of each sentence; see `Machine`."""
        super().__init__(arrays, lengths, constraints)
        self.fused_slots = tuple(slots)
        self.focus = arrays.full((len(lengths), 1), 0, "int")
        self.waiting = self.exists & (self.columns > 0)
        self.on_stack = self.exists & (self.columns == 0)
        self.last = arrays.full(self.heads.shape, 0, "int")
        self.siblings = arrays.full(self.heads.shape, 0, "int")

    def _read_words(self, focus: Array) -> Iterator[Array]:
        """See `Machine`."""
        for slot in self.fused_slots:
            yield self.arrays.gather(self.heads if slot is Relative.PARENT else self.siblings, focus)

    def legal(self, focus: Array) -> Array:
        """See `Machine`, and `pointree.transitions.top_down` for the rules."""
        arrays, columns = self.arrays, self.columns
        last = arrays.gather(self.last, focus)
        goes_left = (last > 0) & (last < focus)
        follows = columns < arrays.where(goes_left, last, focus)
        follows = follows | ((columns > arrays.maximum(last, focus)) & ~goes_left)
        legal = self.waiting & follows
        if self.constraints.single_root:
            legal = legal & ~((focus == 0) & (last > 0))
        if self.windows is None:
            pops = self._others_go_on(focus)
        else:
            behind = self._left_behind(focus)
            turns = ~(behind & (columns > focus)).any(1)[:, None]
            legal = legal & self._crosses_nothing(focus, *self.windows) & ((columns > focus) | turns)
            pops = ~behind.any(1)[:, None]
        return legal | ((columns == focus) & pops & (focus > 0))

    def _others_go_on(self, focus: Array) -> Array:
        """Whether all words have heads, or another word on the stack may get one of those that wait; without windows.

        *Shape:* returns ``(n_rows, 1)``.
        """
        arrays, columns, last = self.arrays, self.columns, self.last
        n_positions = self.heads.shape[1]
        greatest, _column = arrays.best(arrays.where(self.waiting, columns, 0))
        least = n_positions - arrays.best(arrays.where(self.waiting, n_positions - columns, 0))[0]
        turned = (last > 0) & (last < columns)
        takes = (last == 0) | (least < arrays.where(turned, last, columns)) | ((greatest > last) & ~turned)
        others = self.on_stack & (columns != focus)
        if self.constraints.single_root:
            others = others & (columns > 0)
        return (greatest == 0) | (others & takes).any(1)[:, None]

    def _left_behind(self, focus: Array) -> Array:
        """The words that could get no head without a crossing if the focus word were popped."""
        arrays, columns = self.arrays, self.columns
        head = arrays.gather(self.heads, focus)
        between = (arrays.minimum(focus, head) < columns) & (columns < arrays.maximum(focus, head))
        is_last = (head == 0) if self.constraints.single_root else (focus == 0)
        return self.waiting & (between | is_last)

    def point(self, focus: Array, position: Array, log_prob: Array, state_ids: Array) -> None:
        """See `Machine`: another word is attached to the focus word and becomes the next one; itself is popped."""
        arrays = self.arrays
        pops = position == focus
        # Where a row pops, what it has is written again: tables change in place, for greedy search reads them later.
        arrays.put(self.siblings, position, arrays.gather(arrays.where(pops, self.siblings, self.last), focus))
        arrays.put(self.heads, position, arrays.where(pops, arrays.gather(self.heads, focus), focus))
        own = arrays.gather(self.state_ids, focus)
        arrays.put(self.state_ids, position, arrays.where(pops, own, state_ids[:, None]))
        arrays.put(self.last, focus, arrays.where(pops, arrays.gather(self.last, focus), position))
        earlier_pops = arrays.where(pops, self.log_probs[:, :1], 0.0)
        arrays.put(self.log_probs, arrays.where(pops, 0, position), log_prob + earlier_pops)
        arrays.put(self.waiting, position, position < 0)
        arrays.put(self.on_stack, position, ~pops)
        self.previous = state_ids
        self.focus = arrays.where(pops, arrays.gather(self.heads, focus), position)
        self._narrow_windows(focus, position)
