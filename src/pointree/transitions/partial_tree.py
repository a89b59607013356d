"""A tree in the making: the words attached so far, and what legality and fusion must know about them."""

from __future__ import annotations

from pointree.errors import UsageError
from pointree.transitions.slots import Slot, fill_slots

__all__ = ["PartialTree"]


class PartialTree:
    """A forest over ROOT and n words that grows by one arc a step, in O(n).

    Lists are indexed by node: 0 is ROOT, 1..n are the words.

    Attributes:
        n: The number of words.
        heads: The head of each word, None while it has none (and always for ROOT).
        tops: The top of the fragment that each node is in: the one node of the fragment without a head.
            While word i has no head, the nodes whose top is i are exactly i and its descendants.
        lo, hi: The window of each position q: the intersection of all arcs strictly over q, which is the
            innermost of them while none cross; (0, n) where there is none. An arc between p and q crosses no
            arc so far exactly when each lies in the window of the other.
        root_dependent: The word that was attached to ROOT first, 0 while ROOT has no dependent.
    """

    __slots__ = ("_slots", "heads", "hi", "lo", "n", "root_dependent", "tops")

    def __init__(self, n: int) -> None:
        self.n = n
        self.heads: list[int | None] = [None] * (n + 1)
        self.tops = list(range(n + 1))
        self.lo = [0] * (n + 1)
        self.hi = [n] * (n + 1)
        self.root_dependent = 0
        self._slots = [[0] * len(Slot) for _ in range(n + 1)]

    def copy(self) -> PartialTree:
        """Return an independent tree with the same arcs."""
        twin = PartialTree.__new__(PartialTree)
        twin.n = self.n
        twin.heads = self.heads.copy()
        twin.tops = self.tops.copy()
        twin.lo = self.lo.copy()
        twin.hi = self.hi.copy()
        twin.root_dependent = self.root_dependent
        twin._slots = [row.copy() for row in self._slots]
        return twin

    def dependent(self, word: int, slot: Slot) -> int:
        """Return the dependent in a slot of the word as of now, 0 for none."""
        return self._slots[word][slot]

    def slots(self, word: int) -> tuple[int, ...]:
        """Return the dependents in all slots of the word as of now, indexed by `Slot`, 0 for none."""
        return tuple(self._slots[word])

    def attach(self, dependent: int, head: int) -> None:
        """Add the arc (head, dependent)."""
        self._check(dependent, head)
        self.heads[dependent] = head
        if head == 0 and not self.root_dependent:
            self.root_dependent = dependent
        new_top = self.tops[head]
        self.tops = [new_top if top == dependent else top for top in self.tops]
        fill_slots(self._slots[head], dependent, head)
        self._narrow_windows(min(dependent, head), max(dependent, head))

    def _check(self, dependent: int, head: int) -> None:
        if not 1 <= dependent <= self.n:
            raise UsageError(f"dependent {dependent} is outside a sentence of {self.n} words")
        if not 0 <= head <= self.n:
            raise UsageError(f"head {head} of word {dependent} is outside a sentence of {self.n} words")
        if self.heads[dependent] is not None:
            raise UsageError(f"word {dependent} has head {self.heads[dependent]} and cannot get head {head}")
        if self.tops[head] == dependent:
            raise UsageError(f"head {head} of word {dependent} closes a cycle")

    def _narrow_windows(self, left: int, right: int) -> None:
        for position in range(left + 1, right):
            self.lo[position] = max(self.lo[position], left)
            self.hi[position] = min(self.hi[position], right)
