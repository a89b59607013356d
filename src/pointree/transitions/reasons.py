"""Why a head or, top-down, a position is illegal: the rules one by one, with the arc or word to blame.

The rules are those of `pointree.transitions.legality` and of `pointree.transitions.top_down`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pointree.transitions.legality import Constraints
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.slots import Slot
from pointree.transitions.top_down import TopDownState, left_behind

__all__ = ["Reason", "Rule", "illegal_heads", "illegal_positions"]


class Rule(StrEnum):
    """A rule that an illegal head breaks."""

    ITSELF = "itself"
    """The head is the focus word."""
    CYCLE = "cycle"
    """The head descends from the focus word."""
    SINGLE_ROOT = "single-root"
    """ROOT has its one dependent already."""
    CROSSING = "crossing"
    """The arc would cross an arc of the tree so far."""
    COVERS_TOP = "covers-top"
    """The arc would cover an ancestor of the head that has no head yet, which could then get none without crossing."""
    COVERED = "covered"
    """The head stands between the focus word and a dependent of it."""
    ROOT = "root"
    """Top-down: ROOT becomes nobody's dependent, and stays on the stack."""
    HAS_HEAD = "has-head"
    """Top-down: the word has its head already."""
    PASSED = "passed"
    """Top-down: dependents come from the inside out, first on the right, and the last one is farther."""
    LEFT_BEHIND = "left-behind"
    """Top-down: a word would be left that could get no head any more."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that a head breaks, and the words that make it so.

    Attributes:
        rule: The rule.
        words: For `CYCLE` the path of words up from the head to the focus word; for `SINGLE_ROOT` the dependent of
            ROOT; for `CROSSING` the head and the dependent of the arc that would be crossed; for `COVERS_TOP` the
            ancestor; for `COVERED` the dependent of the focus word; for `HAS_HEAD` the head; for `PASSED` the last
            dependent; for `LEFT_BEHIND` a word that would be left.
    """

    rule: Rule
    words: tuple[int, ...] = ()

    def explain(self, forms: Sequence[str]) -> str:
        """Return the reason as a sentence, given the forms of ROOT and the words."""
        named = [f"“{forms[word]}”" if word else "ROOT" for word in self.words]
        match self.rule:
            case Rule.ITSELF:
                return "A word cannot be its own head."
            case Rule.CYCLE:
                return f"{named[0]} is below {named[-1]} already: the arc would close a cycle."
            case Rule.SINGLE_ROOT:
                return f"ROOT has its one dependent already, {named[0]}."
            case Rule.CROSSING:
                return f"The arc would cross the arc from {named[0]} to {named[1]}."
            case Rule.COVERS_TOP:
                return f"The arc would cover {named[0]}, which could then get no head without a crossing."
            case Rule.COVERED:
                return f"It stands between the focus word and its dependent {named[0]}."
            case Rule.ROOT:
                return "ROOT depends on no word, and is never popped."
            case Rule.HAS_HEAD:
                return f"It has a head already, {named[0]}."
            case Rule.PASSED:
                return f"Dependents come from the inside out, first on the right; the last one was {named[0]}."
            case Rule.LEFT_BEHIND:
                return f"{named[0]} could then get no head any more."


def illegal_heads(tree: PartialTree, focus: int, constraints: Constraints) -> dict[int, list[Reason]]:
    """Return the heads that the focus word may not get, each with all the rules that it breaks."""
    reasons = {head: list(_reasons(tree, focus, head, constraints)) for head in range(tree.n + 1)}
    return {head: broken for head, broken in reasons.items() if broken}


def _reasons(tree: PartialTree, focus: int, head: int, constraints: Constraints) -> Iterator[Reason]:
    if head == focus:
        yield Reason(Rule.ITSELF)
        return  # an arc from a word to itself has no length, so nothing more can be said of it
    if tree.tops[head] == focus:
        yield Reason(Rule.CYCLE, _path(tree, head, focus))
    if constraints.single_root and head == 0 and tree.root_dependent:
        yield Reason(Rule.SINGLE_ROOT, (tree.root_dependent,))
    if constraints.projective:
        yield from _not_projective(tree, focus, head)


def _path(tree: PartialTree, word: int, ancestor: int) -> tuple[int, ...]:
    path = [word]
    while path[-1] != ancestor:
        above = tree.heads[path[-1]]
        if above is None:
            break
        path.append(above)
    return tuple(path)


def _not_projective(tree: PartialTree, focus: int, head: int) -> Iterator[Reason]:
    left, right = min(head, focus), max(head, focus)
    if (arc := _crossed_arc(tree, focus, head)) is not None:
        yield Reason(Rule.CROSSING, arc)
    if left < tree.tops[head] < right:
        yield Reason(Rule.COVERS_TOP, (tree.tops[head],))
    first, last = tree.dependent(focus, Slot.LEFTMOST), tree.dependent(focus, Slot.RIGHTMOST)
    if first and first < head < focus:
        yield Reason(Rule.COVERED, (first,))
    if last and focus < head < last:
        yield Reason(Rule.COVERED, (last,))


def illegal_positions(state: TopDownState, constraints: Constraints) -> dict[int, list[Reason]]:
    """Return the positions that the focus word may not point at, each with all the rules that it breaks."""
    behind = left_behind(state, constraints)
    reasons = {
        position: list(_top_down_reasons(state, position, behind, constraints)) for position in range(state.tree.n + 1)
    }
    return {position: broken for position, broken in reasons.items() if broken}


def _top_down_reasons(
    state: TopDownState, position: int, behind: list[int], constraints: Constraints
) -> Iterator[Reason]:
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
        if (arc := _crossed_arc(tree, focus, position)) is not None:
            yield Reason(Rule.CROSSING, arc)
        on_right = [word for word in behind if word > focus]
        if position < focus and on_right:
            yield Reason(Rule.LEFT_BEHIND, (on_right[0],))


def _crossed_arc(tree: PartialTree, word: int, other: int) -> tuple[int, int] | None:
    """Return an arc of the tree, head first, that an arc between two words would cross; None if there is none."""
    left, right = min(word, other), max(word, other)
    for dependent, head in enumerate(tree.heads):
        if head is not None and _cross(left, right, min(dependent, head), max(dependent, head)):
            return head, dependent
    return None


def _cross(left: int, right: int, low: int, high: int) -> bool:
    """Whether each of two arcs has exactly one end strictly between the ends of the other."""
    return left < low < right < high or low < left < high < right
