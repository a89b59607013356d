"""The orders in which words are attached, as data.

A parser of this family is an order of the focus words and a choice of slots to fuse into the decoder's
state. To add an order, write its focus sequence and add one entry to `ORDERS`; besides, only `pointree.config` names
the orders, for settings are checked without the rest of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.transitions.slots import Slot

__all__ = ["ORDERS", "Order", "TransitionSystem", "order", "paper_name"]


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the focus words, with the fusions that make sense for it.

    Attributes:
        name: How users call it.
        focus_sequence: From the number of words n to a permutation of 1..n, the words in the order of their
            turns.
        slots: The slots of the focus word that can be filled when its turn comes.
        fusions: For each fusion, the slots whose decoder states join the previous state.
        paper_prefix: What the paper puts before the name of a fusion (`l-` in `l-simple`).
        abbreviation: What tables call it (`L2R`).
    """

    name: str
    focus_sequence: Callable[[int], tuple[int, ...]]
    slots: tuple[Slot, ...]
    fusions: Mapping[str, tuple[Slot, ...]]
    paper_prefix: str = ""
    abbreviation: str = ""

    def __post_init__(self) -> None:
        for fusion, fused in self.fusions.items():
            empty = [slot.name for slot in fused if slot not in self.slots]
            if empty:
                raise UsageError(f"order {self.name}: fusion {fusion} uses {', '.join(empty)}, which is always empty")

    def fusion(self, name: str) -> tuple[Slot, ...]:
        """Return the slots that the named fusion uses."""
        if name not in self.fusions:
            choices = ", ".join(self.fusions)
            raise UsageError(f"order {self.name} has no fusion {name!r}, expected one of: {choices}")
        return self.fusions[name]


@dataclass(frozen=True, slots=True)
class TransitionSystem:
    """An order, and the slots whose decoder states a step reads: what tells the systems of the paper apart."""

    order: Order
    slots: tuple[Slot, ...]

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


_ORDERS = (
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

ORDERS: dict[str, Order] = {each.name: each for each in _ORDERS}
"""Every order by its name."""


def order(name: str) -> Order:
    """Return the order of that name."""
    if name not in ORDERS:
        raise UsageError(f"unknown order {name!r}, expected one of: {', '.join(ORDERS)}")
    return ORDERS[name]


def paper_name(order_name: str, fusion: str) -> str:
    """Return what the paper calls a fusion of an order: `l-simple`, `full`, …; `sequential` for none."""
    found = order(order_name)
    found.fusion(fusion)
    return "sequential" if fusion == "none" else found.paper_prefix + fusion
