"""Partial trees of many hypotheses at once: the batched twin of `pointree.transitions.PartialTree`.

A row is a hypothesis, a column a node of its sentence. Every operation is a few tensor operations over
``(n_rows, n_positions)``. The pure-Python tree is the specification, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pointree.transitions import Constraints, Slot

__all__ = ["BatchedTrees"]


class BatchedTrees:
    """Rows of partial trees, and the ids of the decoder states that belong to their words.

    *Shape:* all tables are ``(n_rows, n_positions)``.

    Attributes:
        heads: The head of each word that has one.
        log_probs: The log-probability with which it was chosen.
        tops: The top of each node's fragment.
        state_ids: The id of each word's decoder state; 0 for words without one, and for ROOT.
        slots: The dependent in each slot that fusion or legality asks for.
    """

    def __init__(self, lengths: Tensor, initial_ids: Tensor, slots: Sequence[Slot], constraints: Constraints) -> None:
        """*Shape:* ``lengths`` (words a sentence) and ``initial_ids`` (decoder states) are ``(n_rows,)``."""
        device, n_rows = lengths.device, lengths.shape[0]
        n_positions = int(lengths.max()) + 1
        self.constraints = constraints
        self.fused_slots = tuple(slots)
        self.columns = torch.arange(n_positions, device=device)
        self.exists = self.columns <= lengths.unsqueeze(1)
        self.tops = self.columns.expand(n_rows, n_positions).contiguous()
        self.heads = torch.zeros_like(self.tops)
        self.log_probs = torch.zeros(n_rows, n_positions, device=device)
        self.state_ids = torch.zeros_like(self.tops)
        self.previous = initial_ids
        self.root_used = torch.zeros(n_rows, 1, dtype=torch.bool, device=device)
        tracked = set(slots)
        self.windows: tuple[Tensor, Tensor] | None = None
        if constraints.projective:
            tracked |= {Slot.LEFTMOST, Slot.RIGHTMOST}
            self.windows = (torch.zeros_like(self.tops), torch.full_like(self.tops, n_positions))
        self.slots = {slot: torch.zeros_like(self.tops) for slot in sorted(tracked)}

    def select(self, rows: Tensor | slice) -> None:
        """Keep, drop, repeat or reorder hypotheses."""
        self.exists = self.exists[rows]
        self.tops = self.tops[rows]
        self.heads = self.heads[rows]
        self.log_probs = self.log_probs[rows]
        self.state_ids = self.state_ids[rows]
        self.previous = self.previous[rows]
        self.root_used = self.root_used[rows]
        self.slots = {slot: table[rows] for slot, table in self.slots.items()}
        if self.windows is not None:
            self.windows = (self.windows[0][rows], self.windows[1][rows])

    def sources(self, focus: Tensor) -> Tensor:
        """The decoder states that the step of the focus words reads, previous state first.

        *Shape:* ``focus`` is ``(n_rows, 1)``; returns ``(n_rows, 1 + n_slots)``.
        """
        state_ids = [self.previous.unsqueeze(1)]
        state_ids.extend(self.state_ids.gather(1, self.slots[slot].gather(1, focus)) for slot in self.fused_slots)
        return torch.cat(state_ids, dim=1) if len(state_ids) > 1 else state_ids[0]

    def legal_heads(self, focus: Tensor) -> Tensor:
        """Which positions may be the head of the focus word; at least one may (see `pointree.transitions.legality`).

        *Shape:* ``focus`` is ``(n_rows, 1)``; returns ``(n_rows, n_positions)``.
        """
        legal = (self.tops != focus) & self.exists
        if self.constraints.single_root:
            legal[:, :1] &= ~self.root_used
        if self.windows is not None:
            legal &= self._projective(focus, *self.windows)
        return legal

    def _projective(self, focus: Tensor, lo: Tensor, hi: Tensor) -> Tensor:
        columns = self.columns
        crosses_nothing = (
            (lo.gather(1, focus) <= columns) & (columns <= hi.gather(1, focus)) & (lo <= focus) & (focus <= hi)
        )
        left, right = columns.minimum(focus), columns.maximum(focus)
        covers_its_top = (left < self.tops) & (self.tops < right)
        leftmost = self.slots[Slot.LEFTMOST].gather(1, focus)
        first = torch.where(leftmost > 0, leftmost, focus)
        last = self.slots[Slot.RIGHTMOST].gather(1, focus).maximum(focus)
        covered_by_focus = (first <= columns) & (columns <= last)
        return crosses_nothing & ~covers_its_top & ~covered_by_focus

    def attach(self, focus: Tensor, head: Tensor, log_prob: Tensor, state_ids: Tensor) -> None:
        """Attach every focus word to its head, and record the id of its decoder state.

        *Shape:* ``focus``, ``head`` and ``log_prob`` are ``(n_rows, 1)``; ``state_ids`` is ``(n_rows,)``.
        """
        self.tops = torch.where(self.tops == focus, self.tops.gather(1, head), self.tops)
        self.heads.scatter_(1, focus, head)
        self.log_probs.scatter_(1, focus, log_prob)
        self.state_ids.scatter_(1, focus, state_ids.unsqueeze(1))
        self.previous = state_ids
        self.root_used = self.root_used | (head == 0)
        is_left = focus < head
        for slot, table in self.slots.items():
            held = table.gather(1, head)
            if slot is Slot.LEFTMOST:
                fills = is_left & ((held == 0) | (focus < held))
            elif slot is Slot.LAST_LEFT:
                fills = is_left
            elif slot is Slot.RIGHTMOST:
                fills = ~is_left & (focus > held)
            else:
                fills = ~is_left
            table.scatter_(1, head, torch.where(fills, focus, held))
        if self.windows is not None:
            lo, hi = self.windows
            left, right = focus.minimum(head), focus.maximum(head)
            inside = (left < self.columns) & (self.columns < right)
            self.windows = (
                torch.where(inside, lo.maximum(left), lo),
                torch.where(inside, hi.minimum(right), hi),
            )
