"""The two statements of docs/notes/legality.md, by enumeration: nothing is lost and nothing gets stuck."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pointree.errors import UsageError
from pointree.transitions import BOTTOM_UP, Constraints, PartialTree, legal_heads

from .trees import Heads, all_trees


def reachable(tree: PartialTree, focus_sequence: tuple[int, ...], constraints: Constraints) -> Iterator[Heads]:
    """Yield the outcome of every sequence of legal choices; fail where there is none to make."""
    if not focus_sequence:
        yield tuple(head for head in tree.heads[1:] if head is not None)
        return
    focus, *rest = focus_sequence
    legal = legal_heads(tree, focus, constraints)
    assert any(legal), f"stuck at word {focus} with heads {tree.heads}"
    for head, is_legal in enumerate(legal):
        if is_legal:
            grown = tree.copy()
            grown.attach(focus, head)
            yield from reachable(grown, tuple(rest), constraints)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_legal_choices_reach_all_legal_trees_and_no_others(n: int, single_root: bool, projective: bool) -> None:
    constraints = Constraints(single_root=single_root, projective=projective)
    expected = all_trees(n, single_root=single_root, projective=projective)
    for order in BOTTOM_UP.values():
        outcomes = list(reachable(PartialTree(n), order.focus_sequence(n), constraints))
        assert len(outcomes) == len(expected), order.name
        assert set(outcomes) == expected, order.name


@pytest.mark.parametrize(("single_root", "expected"), [(False, 7752), (True, 3876)])
@pytest.mark.parametrize("name", BOTTOM_UP)
def test_projective_trees_of_seven_words(name: str, single_root: bool, expected: int) -> None:
    """Longer sentences nest deeper; the numbers of projective trees are OEIS A001764 and A006013."""
    constraints = Constraints(single_root=single_root, projective=True)
    outcomes = list(reachable(PartialTree(7), BOTTOM_UP[name].focus_sequence(7), constraints))
    assert len(set(outcomes)) == len(outcomes) == expected


def test_nodes_below_the_focus_word_are_illegal() -> None:
    tree = PartialTree(4)
    tree.attach(1, 2)
    tree.attach(2, 3)
    assert legal_heads(tree, 3, Constraints()) == [True, False, False, False, True]


def test_root_is_illegal_once_it_has_a_dependent() -> None:
    tree = PartialTree(3)
    tree.attach(2, 0)
    assert legal_heads(tree, 1, Constraints(single_root=True)) == [False, False, True, True]
    assert legal_heads(tree, 1, Constraints(single_root=False)) == [True, False, True, True]


def test_crossing_arcs_are_illegal_when_projective() -> None:
    tree = PartialTree(5)
    tree.attach(1, 3)
    assert legal_heads(tree, 2, Constraints(projective=True)) == [False, True, False, True, False, False]


def test_the_top_of_a_fragment_stays_uncovered_by_its_own_descendants() -> None:
    """Attaching 3 to 1 crosses nothing, but would leave no head for 2."""
    tree = PartialTree(3)
    tree.attach(1, 2)
    assert legal_heads(tree, 3, Constraints(projective=True)) == [True, False, True, False]


def test_a_head_under_an_arc_of_the_focus_word_is_illegal_when_projective() -> None:
    tree = PartialTree(3)
    tree.attach(1, 3)
    assert legal_heads(tree, 3, Constraints(projective=True)) == [True, False, False, False]


def test_an_attached_word_cannot_be_the_focus() -> None:
    tree = PartialTree(2)
    tree.attach(1, 2)
    with pytest.raises(UsageError, match="word 1 has head 2 and cannot be the focus word"):
        legal_heads(tree, 1, Constraints())
