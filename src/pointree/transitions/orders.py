"""The orders in which words are attached, as data.

A parser of this family is an order of the focus words and a choice of slots to fuse into the decoder's
state. To add an order, write its focus sequence and add one entry to `BOTTOM_UP`; besides, only `pointree.config` names
the orders, for settings are checked without the rest of the package. Top-down is an order too, whose focus words come
from a stack (`pointree.transitions.top_down`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.transitions.slots import Relative, Slot
from pointree.transitions.top_down import n_top_down_steps

__all__ = ["BOTTOM_UP", "ORDERS", "Order", "TransitionSystem", "order", "paper_name"]


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the focus words, with the fusions that make sense for it.

    Attributes:
        name: How users call it.
        focus_sequence: From the number of words n to a permutation of 1..n, the words in the order of their
            turns; top-down has none.
        slots: What can be there to look at when the turn of a focus word comes.
        fusions: For each fusion, the slots whose decoder states join the previous state.
        paper_prefix: What the paper puts before the name of a fusion (`l-` in `l-simple`).
        abbreviation: What tables call it (`L2R`).
        sequential_name: What systems without fusion are called.
        is_top_down: Whether the focus word points at its dependents, and not at its head.
    """

    name: str
    focus_sequence: Callable[[int], tuple[int, ...]]
    slots: tuple[Slot | Relative, ...]
    fusions: Mapping[str, tuple[Slot | Relative, ...]]
    paper_prefix: str = ""
    abbreviation: str = ""
    sequential_name: str = "sequential"
    is_top_down: bool = False

    def __post_init__(self) -> None:
        for fusion, fused in self.fusions.items():
            empty = [slot.name for slot in fused if slot not in self.slots]
            if empty:
                raise UsageError(f"order {self.name}: fusion {fusion} uses {', '.join(empty)}, which is always empty")

    def n_steps(self, n: int) -> int:
        """Return the number of steps that build a tree of n words."""
        return n_top_down_steps(n) if self.is_top_down else n

    def fusion(self, name: str) -> tuple[Slot | Relative, ...]:
        """Return the slots that the named fusion uses."""
        if name not in self.fusions:
            choices = ", ".join(self.fusions)
            raise UsageError(f"order {self.name} has no fusion {name!r}, expected one of: {choices}")
        return self.fusions[name]


@dataclass(frozen=True, slots=True)
class TransitionSystem:
    """An order, and the slots whose decoder states a step reads: what tells the systems of the paper apart."""

    order: Order
    slots: tuple[Slot | Relative, ...]

    @classmethod
    def of(cls, order_name: str, fusion: str) -> TransitionSystem:
        """The system of an order and one of its fusions."""
        found = order(order_name)
        return cls(found, found.fusion(fusion))


def _left_to_right(n: int) -> tuple[int, ...]:
    return tuple(range(1, n + 1))


def _right_to_left(n: int) -> tuple[int, ...]:
    return tuple(range(n, 0, -1))


def _outside_in(n: int) -> tuple[int, ...]:
    """Return w1, wn, w2, wn-1, …; for an odd n the middle word comes last."""
    return tuple(n - step // 2 if step % 2 else step // 2 + 1 for step in range(n))


def _by_stack(n: int) -> tuple[int, ...]:
    raise UsageError("the order top-down has no sequence of focus words: they follow from the tree")


_BOTTOM_UP = (
    Order(
        name="left-to-right",
        focus_sequence=_left_to_right,
        slots=(Slot.LEFTMOST, Slot.LAST_LEFT),
        fusions={"none": (), "simple": (Slot.LEFTMOST,), "adapted": (Slot.LEFTMOST, Slot.LAST_LEFT)},
        paper_prefix="l-",
        abbreviation="L2R",
    ),
    Order(
        name="right-to-left",
        focus_sequence=_right_to_left,
        slots=(Slot.RIGHTMOST, Slot.LAST_RIGHT),
        fusions={"none": (), "simple": (Slot.RIGHTMOST,), "adapted": (Slot.RIGHTMOST, Slot.LAST_RIGHT)},
        paper_prefix="r-",
        abbreviation="R2L",
    ),
    Order(
        name="outside-in",
        focus_sequence=_outside_in,
        slots=tuple(Slot),
        fusions={"none": (), "simple": (Slot.LEFTMOST, Slot.RIGHTMOST), "full": tuple(Slot)},
        abbreviation="O-I",
    ),
)

_TOP_DOWN = Order(
    name="top-down",
    focus_sequence=_by_stack,
    slots=tuple(Relative),
    fusions={"none": (), "parent": (Relative.PARENT,), "parent-sibling": tuple(Relative)},
    abbreviation="T-D",
    sequential_name="stack-pointer",
    is_top_down=True,
)

BOTTOM_UP: dict[str, Order] = {each.name: each for each in _BOTTOM_UP}
"""The orders in which a focus word gets its head, by their names."""

ORDERS: dict[str, Order] = {**BOTTOM_UP, _TOP_DOWN.name: _TOP_DOWN}
"""Every order by its name."""


def order(name: str) -> Order:
    """Return the order of that name."""
    if name not in ORDERS:
        raise UsageError(f"unknown order {name!r}, expected one of: {', '.join(ORDERS)}")
    return ORDERS[name]


def paper_name(order_name: str, fusion: str) -> str:
    """Return what the paper calls a fusion of an order: `l-simple`, `full`, …; without fusion `sequential`.

    The top-down parser without fusion is called `stack-pointer`.
    """
    found = order(order_name)
    found.fusion(fusion)
    return found.sequential_name if fusion == "none" else found.paper_prefix + fusion
