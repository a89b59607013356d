"""Any tree is rebuilt by oracle and state in every order, through steps that are legal."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pointree.transitions import (
    BOTTOM_UP,
    Constraints,
    Order,
    PartialTree,
    Slot,
    TransitionSystem,
    gold_steps,
    is_projective,
    legal_heads,
    pointing_steps,
)
from pointree.transitions.top_down import TopDownState, legal_positions, n_top_down_steps

from ..transitions.trees import rebuild

orders = st.sampled_from(list(BOTTOM_UP.values()))
all_constraints = st.builds(Constraints, single_root=st.booleans(), projective=st.booleans())


@st.composite
def trees(draw: st.DrawFn, max_words: int = 25) -> list[int]:
    """Draw any tree, with any number of roots: words join in random order, each under an earlier one."""
    n = draw(st.integers(1, max_words))
    joined = [0]
    heads = [0] * n
    for word in draw(st.permutations(range(1, n + 1))):
        heads[word - 1] = draw(st.sampled_from(joined))
        joined.append(word)
    return heads


@st.composite
def projective_trees(draw: st.DrawFn, max_words: int = 25) -> list[int]:
    """Draw a projective tree: every interval of words is split into subtrees, each around its top."""
    n = draw(st.integers(1, max_words))
    heads = [0] * n
    pending = [(1, n, 0)]
    while pending:
        first, last, head = pending.pop()
        while first <= last:
            end = draw(st.integers(first, last))
            top = draw(st.integers(first, end))
            heads[top - 1] = head
            pending += [(first, top - 1, top), (top + 1, end, top)]
            first = end + 1
    return heads


def naive_slots(heads: Sequence[int], order: Order, focus: int) -> tuple[int, ...]:
    """Read the slots of the focus word off the tree and the order alone."""
    turns = order.focus_sequence(len(heads))
    before = turns[: turns.index(focus)]
    left = [word for word in before if heads[word - 1] == focus and word < focus]
    right = [word for word in before if heads[word - 1] == focus and word > focus]
    return (min(left, default=0), max(right, default=0), left[-1] if left else 0, right[-1] if right else 0)


@given(trees() | projective_trees(), orders)
def test_any_tree_is_rebuilt(heads: list[int], order: Order) -> None:
    steps = gold_steps(heads, order)
    assert tuple(step.focus for step in steps) == order.focus_sequence(len(heads))
    assert rebuild(steps) == heads


@given(trees() | projective_trees(), orders)
def test_gold_steps_are_legal_under_all_constraints_that_the_tree_obeys(heads: list[int], order: Order) -> None:
    constraints = Constraints(single_root=heads.count(0) == 1, projective=is_projective(heads))
    tree = PartialTree(len(heads))
    for step in gold_steps(heads, order):
        assert legal_heads(tree, step.focus, Constraints(single_root=False))[step.head]
        assert legal_heads(tree, step.focus, constraints)[step.head]
        tree.attach(step.focus, step.head)
    assert tree.heads[1:] == heads
    assert tree.tops == [0] * (len(heads) + 1)


@given(trees() | projective_trees(), orders)
def test_slots_agree_with_their_definition(heads: list[int], order: Order) -> None:
    for step in gold_steps(heads, order):
        assert step.slots == naive_slots(heads, order, step.focus)
        assert all(step.slots[slot] == 0 for slot in Slot if slot not in order.slots)


@given(projective_trees())
def test_projective_trees_are_recognised(heads: list[int]) -> None:
    assert is_projective(heads)


@given(st.integers(1, 40), orders, all_constraints, st.randoms(use_true_random=False))
def test_random_legal_choices_always_end_in_a_legal_tree(
    n: int, order: Order, constraints: Constraints, choose: Random
) -> None:
    tree = PartialTree(n)
    for focus in order.focus_sequence(n):
        legal = legal_heads(tree, focus, constraints)
        tree.attach(focus, choose.choice([head for head in range(n + 1) if legal[head]]))
    heads = [head for head in tree.heads[1:] if head is not None]
    assert None not in tree.heads[1:]
    assert tree.tops == [0] * (n + 1)
    assert heads.count(0) == 1 or not constraints.single_root
    assert is_projective(heads) or not constraints.projective


@given(trees() | projective_trees())
def test_any_tree_is_rebuilt_top_down_by_legal_steps(heads: list[int]) -> None:
    constraints = Constraints(single_root=heads.count(0) == 1, projective=is_projective(heads))
    state = TopDownState(len(heads))
    for step in pointing_steps(heads, TransitionSystem.of("top-down", "parent-sibling")):
        assert step.focus == state.focus
        assert legal_positions(state, constraints)[step.position]
        assert step.reads == (state.tree.heads[step.focus] or 0, state.siblings[step.focus])
        state.point(step.position)
    assert state.tree.heads[1:] == heads


@given(st.integers(1, 25), all_constraints, st.integers(0, 2**32))
def test_any_legal_steps_end_top_down_with_a_legal_tree(n: int, constraints: Constraints, seed: int) -> None:
    random, state = Random(seed), TopDownState(n)
    for _step in range(n_top_down_steps(n)):
        legal = legal_positions(state, constraints)
        state.point(random.choice([position for position, is_legal in enumerate(legal) if is_legal]))
    heads = [head for head in state.tree.heads[1:] if head is not None]
    assert len(heads) == n
    assert heads.count(0) == 1 or not constraints.single_root
    assert is_projective(heads) or not constraints.projective
