"""The top-down system by enumeration: every legal tree has one sequence of legal steps, and nothing else is reached."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tests.helpers import CONSTRAINTS, random_heads
from tests.reference_top_down import Configuration, can_be_completed

from pointree.errors import UsageError
from pointree.transitions import Constraints
from pointree.transitions.top_down import (
    TopDownState,
    TopDownStep,
    legal_positions,
    n_top_down_steps,
    top_down_steps,
)

from .trees import Heads, all_trees


def reachable(state: TopDownState, steps: int, constraints: Constraints) -> Iterator[Heads]:
    """Yield the outcome of every sequence of legal steps; fail where there is none to make."""
    if steps == 0:
        assert not state.waiting, f"no tree: {state.tree.heads}"
        yield tuple(head for head in state.tree.heads[1:] if head is not None)
        return
    legal = legal_positions(state, constraints)
    assert any(legal), f"stuck with the stack {state.stack} and the heads {state.tree.heads}"
    for position, is_legal in enumerate(legal):
        if is_legal:
            grown = state.copy()
            grown.point(position)
            yield from reachable(grown, steps - 1, constraints)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_legal_steps_reach_all_legal_trees_once_and_no_others(n: int, constraints: Constraints) -> None:
    expected = all_trees(n, single_root=constraints.single_root, projective=constraints.projective)
    outcomes = list(reachable(TopDownState(n), n_top_down_steps(n), constraints))
    assert len(outcomes) == len(expected)
    assert set(outcomes) == expected


@pytest.mark.parametrize(("single_root", "expected"), [(False, 7752), (True, 3876)])
def test_projective_trees_of_seven_words(single_root: bool, expected: int) -> None:
    """Longer sentences nest deeper; the numbers are those of tests/transitions/test_legality.py."""
    constraints = Constraints(single_root=single_root, projective=True)
    outcomes = list(reachable(TopDownState(7), n_top_down_steps(7), constraints))
    assert len(set(outcomes)) == len(outcomes) == expected


def test_the_steps_of_the_papers_example() -> None:
    """John and Mary play tennis together: when John is the focus word, its last sibling is together (section 2.3)."""
    steps = top_down_steps([4, 1, 1, 0, 4, 4])
    assert [(step.focus, step.position) for step in steps] == [
        (0, 4), (4, 5), (5, 5), (4, 6), (6, 6), (4, 1), (1, 2), (2, 2), (1, 3), (3, 3), (1, 1),
    ]  # fmt: skip
    assert steps[6] == TopDownStep(focus=1, position=2, parent=4, sibling=6)
    assert steps[0] == TopDownStep(focus=0, position=4, parent=None, sibling=0)
    assert (steps[1].parent, steps[1].sibling) == (0, 0)


@pytest.mark.parametrize("single_root", [True, False])
def test_every_tree_is_built_by_its_legal_steps(single_root: bool) -> None:
    """Crossing arcs included: there is no tree that the system cannot build."""
    random = Random(3)
    for n in [1, 2, 9, 17, 30] * 4:
        heads = random_heads(n, random, single_root=single_root)
        steps, state = top_down_steps(heads), TopDownState(n)
        assert len(steps) == 2 * n - 1
        assert sum(step.is_pop for step in steps) == n - 1
        for step in steps:
            assert (step.focus, step.sibling) == (state.focus, state.siblings[state.focus])
            assert legal_positions(state, Constraints(single_root=single_root))[step.position]
            state.point(step.position)
        assert state.tree.heads[1:] == heads


def test_what_is_no_step_is_refused() -> None:
    state = TopDownState(3)
    with pytest.raises(UsageError, match="ROOT cannot be popped"):
        state.point(0)
    state.point(2)
    state.point(1)
    state.point(1)
    with pytest.raises(UsageError, match="word 3 comes before dependent 1 of word 2"):
        state.point(3)
    with pytest.raises(UsageError, match="word 1 has no head"):
        top_down_steps([None, 1])
    with pytest.raises(UsageError, match="head 4 of word 1 is outside a sentence of 2 words"):
        top_down_steps([4, 1])


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_a_step_is_legal_exactly_if_a_legal_tree_can_still_be_completed(constraints: Constraints) -> None:
    """The rules look at the words that are left behind; the definition tries all that may follow."""
    random = Random(5)
    for n in [1, 2, 3, 4, 5, 6] * 3:
        state, other = TopDownState(n), Configuration((0,), (None,) * (n + 1))
        for _step in range(n_top_down_steps(n)):
            possible = {
                position
                for position in other.moves(constraints)
                if can_be_completed(other.after(position), constraints)
            }
            legal = legal_positions(state, constraints)
            assert {position for position, is_legal in enumerate(legal) if is_legal} == possible
            position = random.choice(sorted(possible))
            state.point(position)
            other = other.after(position)
            assert (tuple(state.stack), tuple(state.tree.heads)) == (other.stack, other.heads)
