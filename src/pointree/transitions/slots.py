"""The slots of a word: which of its dependents the decoder may look at (section 3.1 of the paper)."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Slot", "fill_slots"]


class Slot(IntEnum):
    """One remembered dependent of a word; the value is its column wherever slots are laid out in a row.

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


def fill_slots(row: list[int], dependent: int, head: int) -> None:
    """Put a word that was just attached into the slots of its head, `row`."""
    if dependent < head:
        row[Slot.LAST_LEFT] = dependent
        row[Slot.LEFTMOST] = min(row[Slot.LEFTMOST] or dependent, dependent)
    else:
        row[Slot.LAST_RIGHT] = dependent
        row[Slot.RIGHTMOST] = max(row[Slot.RIGHTMOST], dependent)
