"""What a decoder may look at besides its previous state: dependents of the focus word, or its parent and sibling."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Relative", "Slot", "fill_slots"]


class Slot(IntEnum):
    """One remembered dependent of a word (section 3.1 of the paper).

    The value is its column wherever slots are laid out in a row.
    Left slots hold dependents that stand before the word, right slots those that stand after it. A slot that no
    dependent has filled holds 0, which cannot be confused with a word: ROOT depends on nothing.
    """

    LEFTMOST = 0
    RIGHTMOST = 1
    LAST_LEFT = 2
    LAST_RIGHT = 3

    @property
    def is_left(self) -> bool:
        """Whether the slot holds dependents that stand before the word."""
        return self in (Slot.LEFTMOST, Slot.LAST_LEFT)


class Relative(IntEnum):
    """A word above or beside the focus word that a top-down decoder may look at (section 2.3 of the paper).

    ROOT is nobody's dependent, so it has no decoder state: as a parent it counts as missing, as 0 does elsewhere.
    """

    PARENT = 0
    SIBLING = 1


def fill_slots(row: list[int], dependent: int, head: int) -> None:
    """Put a word that was just attached into the slots of its head, `row`."""
    if dependent < head:
        row[Slot.LAST_LEFT] = dependent
        row[Slot.LEFTMOST] = min(row[Slot.LEFTMOST] or dependent, dependent)
    else:
        row[Slot.LAST_RIGHT] = dependent
        row[Slot.RIGHTMOST] = max(row[Slot.RIGHTMOST], dependent)
