"""How high each arc runs when arcs are drawn above a line of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Arc", "place_arcs"]


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc, its relation, and its level (1 is next to the words); the head 0 is ROOT."""

    head: int
    dependent: int
    deprel: str
    level: int

    @property
    def left(self) -> int:
        """The end that comes first in the sentence."""
        return min(self.head, self.dependent)

    @property
    def right(self) -> int:
        """The end that comes last in the sentence."""
        return max(self.head, self.dependent)


def place_arcs(heads: Sequence[int | None], deprels: Sequence[str]) -> list[Arc]:
    """The arcs of a sentence, each on the lowest level above all shorter ones that it spans or crosses.

    The arcs of ROOT come last; they stand on one word, above all that ends there. Words without a head, or
    with one outside the sentence, have no arc.
    """
    skyline = [0] * (len(heads) + 1)  # skyline[i]: the highest level so far between the words i and i + 1
    arcs = []
    inner = [
        (abs(head - dependent), dependent, head)
        for dependent, head in enumerate(heads, 1)
        if head is not None and 1 <= head <= len(heads) and head != dependent
    ]
    for _, dependent, head in sorted(inner):
        span = slice(min(head, dependent), max(head, dependent))
        level = 1 + max(skyline[span])
        skyline[span] = [level] * (span.stop - span.start)
        arcs.append(Arc(head, dependent, deprels[dependent - 1], level))
    for dependent in range(1, len(heads) + 1):
        if heads[dependent - 1] == 0:
            level = 1 + max(skyline[dependent - 1 : dependent + 1])
            arcs.append(Arc(0, dependent, deprels[dependent - 1], level))
    return arcs
