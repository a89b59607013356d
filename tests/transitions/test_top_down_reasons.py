"""Tests of the reasons why a position is illegal top-down."""

from __future__ import annotations

from random import Random

import pytest
from tests.helpers import CONSTRAINTS

from pointree.transitions import Constraints
from pointree.transitions.reasons import Reason, Rule, illegal_positions
from pointree.transitions.top_down import TopDownState, legal_positions, n_top_down_steps


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_exactly_the_illegal_positions_have_reasons(constraints: Constraints) -> None:
    random = Random(8)
    for n in [1, 2, 3, 5, 8, 11] * 8:
        state = TopDownState(n)
        for _step in range(n_top_down_steps(n)):
            legal = legal_positions(state, constraints)
            illegal = [position for position, is_legal in enumerate(legal) if not is_legal]
            assert list(illegal_positions(state, constraints)) == illegal
            state.point(random.choice([position for position, is_legal in enumerate(legal) if is_legal]))


def after(n: int, *positions: int) -> TopDownState:
    state = TopDownState(n)
    for position in positions:
        state.point(position)
    return state


def test_reasons_name_who_is_to_blame() -> None:
    state = after(4, 2, 4, 4)
    assert illegal_positions(state, Constraints()) == {
        0: [Reason(Rule.ROOT)],
        2: [Reason(Rule.LEFT_BEHIND, (1,))],
        3: [Reason(Rule.PASSED, (4,))],
        4: [Reason(Rule.HAS_HEAD, (2,))],
    }


def test_projective_reasons() -> None:
    constraints = Constraints(projective=True)
    assert illegal_positions(after(4, 2), constraints)[1] == [Reason(Rule.LEFT_BEHIND, (3,))]
    found = illegal_positions(after(4, 2, 4), constraints)[1]
    assert {reason.rule for reason in found} == {Rule.CROSSING}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (Reason(Rule.ROOT), "ROOT depends on no word, and is never popped."),
        (Reason(Rule.HAS_HEAD, (1,)), "It has a head already, “play”."),
        (
            Reason(Rule.PASSED, (1,)),
            "Dependents come from the inside out, first on the right; the last one was “play”.",
        ),
        (Reason(Rule.LEFT_BEHIND, (1,)), "“play” could then get no head any more."),
    ],
)
def test_explanations(reason: Reason, expected: str) -> None:
    assert reason.explain(["ROOT", "play"]) == expected
