"""Whether a whole tree is projective."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["is_projective"]


def is_projective(heads: Sequence[int]) -> bool:
    """Tell whether no two arcs cross in a tree given by the heads of words 1..n, in O(n log n).

    The arcs of ROOT, which stands before the first word, count: for a tree this is the same as saying that all words
    between a head and its dependent descend from the head.
    """
    arcs = sorted((min(arc), -max(arc)) for arc in enumerate(heads, start=1))
    open_ends: list[int] = []
    for left, minus_right in arcs:
        while open_ends and open_ends[-1] <= left:
            open_ends.pop()
        if open_ends and open_ends[-1] < -minus_right:
            return False
        open_ends.append(-minus_right)
    return True
