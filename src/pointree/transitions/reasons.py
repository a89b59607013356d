"""Why a head is illegal: the rules of `pointree.transitions.legality`, one by one, with the arc or word to blame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pointree.transitions.legality import Constraints
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.slots import Slot

__all__ = ["Reason", "Rule", "illegal_heads"]


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


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that a head breaks, and the words that make it so.

    Attributes:
        rule: The rule.
        words: For `CYCLE` the path of words up from the head to the focus word; for `SINGLE_ROOT` the dependent of
            ROOT; for `CROSSING` the head and the dependent of the arc that would be crossed; for `COVERS_TOP` the
            ancestor; for `COVERED` the dependent of the focus word.
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
    for dependent, other in enumerate(tree.heads):
        if other is not None and _cross(left, right, min(dependent, other), max(dependent, other)):
            yield Reason(Rule.CROSSING, (other, dependent))
            break  # one arc is reason enough
    if left < tree.tops[head] < right:
        yield Reason(Rule.COVERS_TOP, (tree.tops[head],))
    first, last = tree.dependent(focus, Slot.LEFTMOST), tree.dependent(focus, Slot.RIGHTMOST)
    if first and first < head < focus:
        yield Reason(Rule.COVERED, (first,))
    if last and focus < head < last:
        yield Reason(Rule.COVERED, (last,))


def _cross(left: int, right: int, low: int, high: int) -> bool:
    """Whether each of two arcs has exactly one end strictly between the ends of the other."""
    return left < low < right < high or low < left < high < right
