from __future__ import annotations

import pytest

from pointree.errors import UsageError
from pointree.transitions import BOTTOM_UP, ORDERS, Order, Relative, Slot, order, paper_name


@pytest.mark.parametrize(
    ("name", "n", "expected"),
    [
        ("left-to-right", 4, (1, 2, 3, 4)),
        ("right-to-left", 4, (4, 3, 2, 1)),
        ("outside-in", 1, (1,)),
        ("outside-in", 2, (1, 2)),
        ("outside-in", 5, (1, 5, 2, 4, 3)),
        ("outside-in", 6, (1, 6, 2, 5, 3, 4)),
    ],
)
def test_focus_sequence(name: str, n: int, expected: tuple[int, ...]) -> None:
    assert order(name).focus_sequence(n) == expected


@pytest.mark.parametrize("name", BOTTOM_UP)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 101])
def test_every_word_has_one_turn(name: str, n: int) -> None:
    assert sorted(order(name).focus_sequence(n)) == list(range(1, n + 1))


def test_fusions_of_the_paper() -> None:
    assert {
        paper_name(each.name, fusion): slots for each in ORDERS.values() for fusion, slots in each.fusions.items()
    } == {
        "sequential": (),
        "l-simple": (Slot.LEFTMOST,),
        "l-adapted": (Slot.LEFTMOST, Slot.LAST_LEFT),
        "r-simple": (Slot.RIGHTMOST,),
        "r-adapted": (Slot.RIGHTMOST, Slot.LAST_RIGHT),
        "simple": (Slot.LEFTMOST, Slot.RIGHTMOST),
        "full": (Slot.LEFTMOST, Slot.RIGHTMOST, Slot.LAST_LEFT, Slot.LAST_RIGHT),
        "stack-pointer": (),
        "parent": (Relative.PARENT,),
        "parent-sibling": (Relative.PARENT, Relative.SIBLING),
    }


def test_top_down_has_steps_but_no_sequence_of_focus_words() -> None:
    assert order("top-down").n_steps(7) == 13
    assert order("left-to-right").n_steps(7) == 7
    with pytest.raises(UsageError, match="top-down has no sequence of focus words"):
        order("top-down").focus_sequence(3)


def test_every_order_has_the_sequential_baseline() -> None:
    assert all(each.fusion("none") == () for each in ORDERS.values())


def test_unknown_order_names_the_choices() -> None:
    with pytest.raises(UsageError) as caught:
        order("inside-out")
    assert str(caught.value) == (
        "unknown order 'inside-out', expected one of: left-to-right, right-to-left, outside-in, top-down"
    )


def test_unknown_fusion_names_the_choices() -> None:
    with pytest.raises(UsageError) as caught:
        order("left-to-right").fusion("full")
    assert str(caught.value) == ("order left-to-right has no fusion 'full', expected one of: none, simple, adapted")


def test_a_fusion_may_only_use_slots_that_can_be_filled() -> None:
    with pytest.raises(UsageError, match="fusion simple uses RIGHTMOST, which is always empty"):
        Order("new", ORDERS["left-to-right"].focus_sequence, (Slot.LEFTMOST,), {"simple": (Slot.RIGHTMOST,)})
