"""Top-down hypotheses by the batch: the batched twin of `pointree.transitions.top_down.TopDownState`.

A row is a hypothesis, a column a node of its sentence. The stack of a hypothesis is the path from ROOT to its focus
word, so a pop moves the focus to its head. The pure-Python state is the specification, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pointree.search.arrays import Array, Arrays
from pointree.transitions import Constraints, Relative, Slot

__all__ = ["BatchedStacks"]


class BatchedStacks:
    """Rows of trees that grow downwards from ROOT, as `Machine` describes them.

    *Shape:* all tables are ``(n_rows, n_positions)``.

    Attributes:
        log_probs: The log-probability with which each word was chosen as a dependent; the column of ROOT has that of
            all pops.
        waiting: Which words have no head yet.
        on_stack: Which nodes are on the stack.
        last: The last dependent of each node, 0 for none.
        siblings: For each word, the dependent that its head got before it, 0 for none.
    """

    def __init__(
        self, arrays: Arrays, lengths: Sequence[int], slots: Sequence[Slot | Relative], constraints: Constraints
    ) -> None:
        """ROOT alone on the stack of each sentence; ``lengths`` are the numbers of their words.

        The decoder states that come before the first step have the ids from 1 on.
        """
        n_rows, n_positions = len(lengths), max(lengths) + 1
        shape = (n_rows, n_positions)
        self.arrays = arrays
        self.constraints = constraints
        self.fused_slots = tuple(slots)
        self.columns = arrays.arange(0, n_positions)
        self.exists = self.columns <= arrays.from_numpy(np.asarray(lengths))[:, None]
        self.heads = arrays.full(shape, 0, "int")
        self.log_probs = arrays.full(shape, 0.0, "float")
        self.state_ids = arrays.full(shape, 0, "int")
        self.previous = arrays.arange(1, 1 + n_rows)
        self.focus = arrays.full((n_rows, 1), 0, "int")
        self.waiting = self.exists & (self.columns > 0)
        self.on_stack = self.exists & (self.columns == 0)
        self.last = arrays.full(shape, 0, "int")
        self.siblings = arrays.full(shape, 0, "int")
        self.windows: tuple[Array, Array] | None = None
        if constraints.projective:
            self.windows = (arrays.full(shape, 0, "int"), arrays.full(shape, n_positions, "int"))

    def select(self, rows: Array | slice) -> None:
        """See `Machine`."""
        self.exists = self.exists[rows]
        self.heads = self.heads[rows]
        self.log_probs = self.log_probs[rows]
        self.state_ids = self.state_ids[rows]
        self.previous = self.previous[rows]
        self.focus = self.focus[rows]
        self.waiting = self.waiting[rows]
        self.on_stack = self.on_stack[rows]
        self.last = self.last[rows]
        self.siblings = self.siblings[rows]
        if self.windows is not None:
            self.windows = (self.windows[0][rows], self.windows[1][rows])

    def sources(self, focus: Array) -> Array:
        """See `Machine`."""
        gather, state_ids = self.arrays.gather, [self.previous[:, None]]
        for slot in self.fused_slots:
            words = gather(self.heads if slot is Relative.PARENT else self.siblings, focus)
            state_ids.append(gather(self.state_ids, words))
        return self.arrays.join(state_ids) if len(state_ids) > 1 else state_ids[0]

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

    def _crosses_nothing(self, focus: Array, lo: Array, hi: Array) -> Array:
        arrays, columns = self.arrays, self.columns
        return (
            (arrays.gather(lo, focus) <= columns)
            & (columns <= arrays.gather(hi, focus))
            & (lo <= focus)
            & (focus <= hi)
        )

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
        if self.windows is not None:
            lo, hi = self.windows
            left, right = arrays.minimum(focus, position), arrays.maximum(focus, position)
            inside = (left < self.columns) & (self.columns < right)
            self.windows = (
                arrays.where(inside, arrays.maximum(lo, left), lo),
                arrays.where(inside, arrays.minimum(hi, right), hi),
            )
