"""The state machine of a search: what every transition system must say of many hypotheses at once.

A search asks the machine which states a step reads and which positions are legal, and tells it what was chosen. What
pointing means is the machine's own affair: bottom-up the focus word gets its head, top-down it gets a dependent or is
popped.
"""

from __future__ import annotations

from typing import Protocol

from pointree.search.arrays import Array, Arrays
from pointree.search.branch import Branch
from pointree.search.stacks import BatchedStacks
from pointree.search.state import BatchedTrees
from pointree.transitions import Constraints

__all__ = ["Machine", "new_machine"]


class Machine(Protocol):
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
    """

    arrays: Arrays
    columns: Array
    exists: Array
    heads: Array
    log_probs: Array
    state_ids: Array
    previous: Array
    focus: Array | None

    def select(self, rows: Array | slice) -> None:
        """Keep, drop, repeat or reorder hypotheses."""

    def sources(self, focus: Array) -> Array:
        """The ids of the decoder states that the step of the focus words reads, previous state first.

        *Shape:* ``focus`` is ``(n_rows, 1)``; returns ``(n_rows, 1 + n_slots)``.
        """

    def legal(self, focus: Array) -> Array:
        """The positions that the focus words may point at, one at least. *Shape:* ``(n_rows, n_positions)``."""

    def point(self, focus: Array, position: Array, log_prob: Array, state_ids: Array) -> None:
        """Let every focus word point at a position.

        *Shape:* ``focus``, ``position`` and ``log_prob`` are ``(n_rows, 1)``; ``state_ids``, of the step's own decoder
        states, is ``(n_rows,)``.
        """


def new_machine(branch: Branch, constraints: Constraints) -> Machine:
    """The machine of a decoder, with one hypothesis without arcs for each sentence."""
    machine = BatchedStacks if branch.order.is_top_down else BatchedTrees
    lengths = [length - 1 for length in branch.positions.lengths]
    return machine(branch.arrays, lengths, branch.slots, constraints)
