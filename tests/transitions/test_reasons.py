"""Reasons are given for illegal heads, for all of them, and for no others."""

from __future__ import annotations

from random import Random

import pytest

from pointree.transitions import BOTTOM_UP, Constraints, PartialTree, legal_heads
from pointree.transitions.reasons import Reason, Rule, illegal_heads


def grown(n: int, *arcs: tuple[int, int]) -> PartialTree:
    tree = PartialTree(n)
    for head, dependent in arcs:
        tree.attach(dependent, head)
    return tree


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", BOTTOM_UP)
def test_a_head_has_reasons_exactly_when_it_is_illegal(name: str, single_root: bool, projective: bool) -> None:
    random = Random(3)
    constraints = Constraints(single_root, projective)
    for _ in range(60):
        tree = PartialTree(random.randint(1, 9))
        for focus in BOTTOM_UP[name].focus_sequence(tree.n):
            legal = legal_heads(tree, focus, constraints)
            assert sorted(illegal_heads(tree, focus, constraints)) == [p for p, fine in enumerate(legal) if not fine]
            tree.attach(focus, random.choice([p for p, fine in enumerate(legal) if fine]))


def test_itself_and_the_path_of_a_cycle() -> None:
    assert illegal_heads(grown(4, (2, 1), (3, 2)), 3, Constraints()) == {
        1: [Reason(Rule.CYCLE, (1, 2, 3))],
        2: [Reason(Rule.CYCLE, (2, 3))],
        3: [Reason(Rule.ITSELF)],
    }


def test_the_one_dependent_of_root_is_named() -> None:
    tree = grown(3, (0, 2))
    assert illegal_heads(tree, 3, Constraints())[0] == [Reason(Rule.SINGLE_ROOT, (2,))]
    assert 0 not in illegal_heads(tree, 3, Constraints(single_root=False))


def test_the_crossed_arc_is_named() -> None:
    tree = grown(4, (3, 1))
    assert illegal_heads(tree, 2, Constraints(projective=True))[4] == [Reason(Rule.CROSSING, (3, 1))]
    assert 4 not in illegal_heads(tree, 2, Constraints())


def test_the_covered_top_is_named() -> None:
    """The example of docs/notes/legality.md: 3 under 1 would bury 2, which is still without a head."""
    assert illegal_heads(grown(3, (2, 1)), 3, Constraints(projective=True))[1] == [Reason(Rule.COVERS_TOP, (2,))]


def test_a_head_between_the_focus_word_and_its_dependent() -> None:
    reasons = illegal_heads(grown(4, (4, 1)), 4, Constraints(projective=True))
    assert reasons[2] == [Reason(Rule.COVERED, (1,))]
    assert reasons[1] == [Reason(Rule.CYCLE, (1, 4))]


@pytest.mark.parametrize(
    ("reason", "explanation"),
    [
        (Reason(Rule.ITSELF), "A word cannot be its own head."),
        (Reason(Rule.CYCLE, (1, 2, 3)), "“John” is below “see” already: the arc would close a cycle."),
        (Reason(Rule.SINGLE_ROOT, (3,)), "ROOT has its one dependent already, “see”."),
        (Reason(Rule.CROSSING, (0, 3)), "The arc would cross the arc from ROOT to “see”."),
        (Reason(Rule.COVERS_TOP, (3,)), "The arc would cover “see”, which could then get no head without a crossing."),
        (Reason(Rule.COVERED, (1,)), "It stands between the focus word and its dependent “John”."),
    ],
)
def test_reasons_read_as_sentences(reason: Reason, explanation: str) -> None:
    assert reason.explain(["ROOT", "John", "can", "see"]) == explanation
