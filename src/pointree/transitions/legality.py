"""Which heads the focus word may get, in O(n) a step, such that every choice can be completed to a tree.

The focus word i has no head yet. Head p is legal when all the rules that are switched on hold:

acyclic (always)
    top(p) ≠ i. The fragment with top i is i and its descendants, so these and no others would close a cycle.
single root
    p ≠ ROOT once ROOT has a dependent.
projective
    (a) p lies in the window of i and i in the window of p: the arc crosses no other;
    (b) top(p) is not strictly between p and i;
    (c) p is not strictly between i and a dependent of i.

Nothing is lost: a projective tree breaks none of the rules in any order. All words between a head and its
dependent descend from the head, whereas under (b) top(p), an ancestor of p, would stand between p and its
dependent i, and under (c) p, the head of i, would stand between i and its dependent.

Nothing gets stuck: some head is legal at every step and the last one leaves a tree, with one root if asked.
Without projectivity this is short. While ROOT has no dependent, ROOT is legal; afterwards its dependent r
is, for top(r) = 0. When the last word i is attached and ROOT still has no dependent, every node but ROOT
has top i: ROOT is the only choice, and the tree gets its root. With projectivity it takes rules (b) and
(c); without them, attaching 1 to 2 and then 3 to 1 leaves 2 under the arc (1, 3) of its own descendants,
with no head that crosses nothing. The proof is in `docs/notes/legality.md`, and
`tests/transitions/test_legality.py` enumerates both statements for all short sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.transitions.partial_tree import PartialTree
from pointree.transitions.slots import Slot

__all__ = ["Constraints", "legal_heads"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a tree must obey beyond having no cycles.

    Attributes:
        single_root: Exactly one word depends on ROOT, as Universal Dependencies demand.
        projective: No two arcs cross, those of ROOT included.
    """

    single_root: bool = True
    projective: bool = False

    @classmethod
    def of(cls, options: ParseOptions) -> Constraints:
        """What the options of a parse ask for."""
        return cls(single_root=options.single_root, projective=options.projective)


def legal_heads(tree: PartialTree, focus: int, constraints: Constraints) -> list[bool]:
    """Return for every node 0..n whether it may become the head of the focus word; at least one may."""
    if tree.heads[focus] is not None:
        raise UsageError(f"word {focus} has head {tree.heads[focus]} and cannot be the focus word")
    legal = [top != focus for top in tree.tops]
    if constraints.single_root and tree.root_dependent:
        legal[0] = False
    if constraints.projective:
        first = tree.dependent(focus, Slot.LEFTMOST) or focus
        last = tree.dependent(focus, Slot.RIGHTMOST) or focus
        for head, top in enumerate(tree.tops):
            crosses_nothing = tree.lo[focus] <= head <= tree.hi[focus] and tree.lo[head] <= focus <= tree.hi[head]
            covers_its_top = min(head, focus) < top < max(head, focus)
            covered_by_focus = first <= head <= last
            legal[head] = legal[head] and crosses_nothing and not covers_its_top and not covered_by_focus
    return legal
