"""Why a position is illegal top-down: the rules of `pointree.transitions.top_down`, and who breaks them."""

from __future__ import annotations

from collections.abc import Iterator

from pointree.transitions.legality import Constraints
from pointree.transitions.reasons import Reason, Rule, crossed_arc
from pointree.transitions.top_down import TopDownState, left_behind

__all__ = ["illegal_positions"]


def illegal_positions(state: TopDownState, constraints: Constraints) -> dict[int, list[Reason]]:
    """Return the positions that the focus word may not point at, each with all the rules that it breaks."""
    behind = left_behind(state, constraints)
    reasons = {position: list(_reasons(state, position, behind, constraints)) for position in range(state.tree.n + 1)}
    return {position: broken for position, broken in reasons.items() if broken}


def _reasons(state: TopDownState, position: int, behind: list[int], constraints: Constraints) -> Iterator[Reason]:
    tree, focus = state.tree, state.focus
    if position == 0:
        yield Reason(Rule.ROOT)
        return
    if position == focus:
        if behind:
            yield Reason(Rule.LEFT_BEHIND, (behind[0],))
        return
    if (head := tree.heads[position]) is not None:
        yield Reason(Rule.HAS_HEAD, (head,))
        return  # nothing more can be said of an arc that would be a second one
    if not state.follows(focus, position):
        yield Reason(Rule.PASSED, (state.last[focus],))
    if constraints.single_root and focus == 0 and tree.root_dependent:
        yield Reason(Rule.SINGLE_ROOT, (tree.root_dependent,))
    if constraints.projective:
        if (arc := crossed_arc(tree, focus, position)) is not None:
            yield Reason(Rule.CROSSING, arc)
        on_right = [word for word in behind if word > focus]
        if position < focus and on_right:
            yield Reason(Rule.LEFT_BEHIND, (on_right[0],))
