"""The gold oracle: the steps by which an order builds a given tree, and what they see of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.transitions.orders import Order
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.slots import Slot, fill_slots

__all__ = ["GoldStep", "gold_steps", "slots_by_step"]


@dataclass(frozen=True, slots=True)
class GoldStep:
    """One SHIFT-ATTACH of the gold sequence.

    Attributes:
        focus: The word whose turn it is.
        head: Its gold head.
        slots: The dependents in the slots of the focus word before it is attached, indexed by `Slot`, 0 for
            none.
    """

    focus: int
    head: int
    slots: tuple[int, ...]


def gold_steps(heads: Sequence[int | None], order: Order) -> list[GoldStep]:
    """Return the steps that build a tree, given the heads of words 1..n."""
    tree = PartialTree(len(heads))
    steps = []
    for focus in order.focus_sequence(tree.n):
        head = heads[focus - 1]
        if head is None:
            raise UsageError(f"word {focus} has no head, expected a complete tree")
        steps.append(GoldStep(focus, head, tree.slots(focus)))
        tree.attach(focus, head)
    return steps


def slots_by_step(heads: Sequence[int], order: Order) -> list[tuple[int, ...]]:
    """Return the slots of each focus word before its turn, indexed by `Slot`, if words 1..n get these heads.

    Unlike those of gold steps, the heads need not make a tree: guesses of one word at a time may close cycles.
    """
    rows = [[0] * len(Slot) for _ in range(len(heads) + 1)]
    seen = []
    for focus in order.focus_sequence(len(heads)):
        seen.append(tuple(rows[focus]))
        fill_slots(rows[heads[focus - 1]], focus, heads[focus - 1])
    return seen
