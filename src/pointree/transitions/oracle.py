"""The gold oracle: the steps by which an order builds a given tree, and what they see of it.

`pointing_steps` says it alike for all transition systems: a step has a focus word and points at a position. Bottom-up,
the position is the head of the focus word; top-down, it is a dependent of it, or the focus word itself to pop it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.transitions.orders import Order, TransitionSystem
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.slots import Slot, fill_slots
from pointree.transitions.top_down import top_down_steps

__all__ = ["GoldStep", "PointingStep", "gold_steps", "pointing_steps", "slots_by_step"]


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


@dataclass(frozen=True, slots=True)
class PointingStep:
    """One step of the gold sequence of any transition system.

    Attributes:
        focus: The word whose turn it is.
        position: What it points at.
        dependent: The word that the step gives its head; 0 if it pops the focus word.
        reads: The words whose decoder states the step reads, one for each slot of the system; 0 for none. The state of
            a word is that of the step which gave it its head.
    """

    focus: int
    position: int
    dependent: int
    reads: tuple[int, ...]


def pointing_steps(heads: Sequence[int | None], system: TransitionSystem) -> list[PointingStep]:
    """Return the steps of a transition system that build a tree, given the heads of words 1..n."""
    if system.order.is_top_down:
        return [
            PointingStep(
                focus=step.focus,
                position=step.position,
                dependent=0 if step.is_pop else step.position,
                reads=tuple((step.parent or 0, step.sibling)[slot] for slot in system.slots),
            )
            for step in top_down_steps(heads)
        ]
    return [
        PointingStep(step.focus, step.head, step.focus, tuple(step.slots[slot] for slot in system.slots))
        for step in gold_steps(heads, system.order)
    ]
