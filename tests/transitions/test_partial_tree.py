from __future__ import annotations

import pytest

from pointree.errors import UsageError
from pointree.transitions import PartialTree, Slot


def test_starts_without_arcs() -> None:
    tree = PartialTree(3)
    assert tree.heads == [None] * 4
    assert tree.tops == [0, 1, 2, 3]
    assert (tree.lo, tree.hi) == ([0] * 4, [3] * 4)
    assert tree.root_dependent == 0
    assert None in tree.heads[1:]


def test_attaching_moves_the_whole_fragment_under_the_new_top() -> None:
    tree = PartialTree(4)
    tree.attach(1, 2)
    tree.attach(2, 4)
    assert tree.tops == [0, 4, 4, 3, 4]
    tree.attach(4, 0)
    assert tree.tops == [0, 0, 0, 3, 0]
    assert tree.root_dependent == 4
    tree.attach(3, 4)
    assert None not in tree.heads[1:]


def test_slots_remember_outermost_and_latest_dependents_of_each_side() -> None:
    tree = PartialTree(7)
    for dependent in (1, 7, 2, 6, 3):
        tree.attach(dependent, 4)
    assert tree.slots(4) == (1, 7, 3, 6)
    assert tree.dependent(4, Slot.LAST_LEFT) == 3
    assert tree.slots(5) == (0, 0, 0, 0)


def test_windows_are_the_innermost_arcs() -> None:
    tree = PartialTree(6)
    tree.attach(6, 1)
    tree.attach(2, 5)
    assert (tree.lo, tree.hi) == ([0, 0, 1, 2, 2, 1, 0], [6, 6, 6, 5, 5, 6, 6])


def test_root_dependent_is_the_first() -> None:
    tree = PartialTree(2)
    tree.attach(2, 0)
    tree.attach(1, 0)
    assert tree.root_dependent == 2


def test_a_copy_is_independent() -> None:
    tree = PartialTree(3)
    tree.attach(1, 2)
    twin = tree.copy()
    twin.attach(3, 1)
    twin.attach(2, 0)
    assert tree.heads == [None, 2, None, None]
    assert tree.tops == [0, 2, 2, 3]
    assert tree.lo == [0, 0, 0, 0]
    assert tree.slots(1) == (0, 0, 0, 0)
    assert tree.root_dependent == 0


@pytest.mark.parametrize(
    ("dependent", "head", "message"),
    [
        (0, 1, "dependent 0 is outside a sentence of 3 words"),
        (2, 4, "head 4 of word 2 is outside a sentence of 3 words"),
        (1, 0, "word 1 has head 2 and cannot get head 0"),
        (2, 1, "head 1 of word 2 closes a cycle"),
        (3, 3, "head 3 of word 3 closes a cycle"),
    ],
)
def test_impossible_arcs(dependent: int, head: int, message: str) -> None:
    tree = PartialTree(3)
    tree.attach(1, 2)
    with pytest.raises(UsageError) as caught:
        tree.attach(dependent, head)
    assert str(caught.value) == message
