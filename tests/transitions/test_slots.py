from __future__ import annotations

from pointree.transitions import Slot


def test_slots_are_columns_in_the_order_of_the_paper() -> None:
    assert [slot.name for slot in Slot] == ["LEFTMOST", "RIGHTMOST", "LAST_LEFT", "LAST_RIGHT"]
    assert [int(slot) for slot in Slot] == [0, 1, 2, 3]


def test_left_slots() -> None:
    assert [slot for slot in Slot if slot.is_left] == [Slot.LEFTMOST, Slot.LAST_LEFT]
