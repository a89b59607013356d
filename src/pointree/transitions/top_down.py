"""The top-down transition system (Ma et al. 2018) of the paper's section 2.3: a stack instead of an order.

The focus word is on top of the stack, ROOT at first. A step points at a position: another word becomes a dependent of
the focus word and goes on top; the focus word itself says that it has all of its dependents, and is popped. Dependents
come from the inside out, those on the right before those on the left, so that every tree has exactly one sequence of
steps. There are 2n − 1 of them: n attachments, and n − 1 pops; the last word and ROOT need none.

Position p is legal for the focus word f when all the rules that are switched on hold:

attach p (always)
    p is a word without a head, and comes after the last dependent of f in the order of dependents.
pop f, that is p = f (always)
    f is not ROOT, and no word is left behind: all have heads, or another word on the stack may still get a dependent.
single root
    ROOT gets one dependent, and that word is popped when all words have heads.
projective
    (a) the arc from f to p crosses no other;
    (b) f gets a dependent on its left, or is popped, only if no word is left behind on the side of f that it leaves:
        between f and its head and, if f is the single root word, anywhere.

Nothing is lost and nothing gets stuck: see `docs/notes/legality.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pointree.errors import UsageError
from pointree.transitions.legality import Constraints
from pointree.transitions.partial_tree import PartialTree

__all__ = ["TopDownState", "TopDownStep", "legal_positions", "n_top_down_steps", "top_down_steps"]


@dataclass(frozen=True, slots=True)
class TopDownStep:
    """One step of the gold sequence.

    Attributes:
        focus: The word on top of the stack; 0 is ROOT.
        position: What it points at: its next dependent, or itself if it has them all.
        parent: The head of the focus word; None for ROOT.
        sibling: The dependent that the parent got before the focus word; 0 for none.
    """

    focus: int
    position: int
    parent: int | None
    sibling: int

    @property
    def is_pop(self) -> bool:
        """Whether the focus word is popped."""
        return self.position == self.focus


class TopDownState:
    """A tree that grows downwards from ROOT.

    Attributes:
        tree: The arcs so far.
        stack: The words that may still get dependents, ROOT first and the focus word last.
        last: The last dependent of each node, 0 for none.
        siblings: For each word, the dependent that its head got before it, 0 for none.
    """

    __slots__ = ("last", "siblings", "stack", "tree")

    def __init__(self, n: int) -> None:
        self.tree = PartialTree(n)
        self.stack = [0]
        self.last = [0] * (n + 1)
        self.siblings = [0] * (n + 1)

    def copy(self) -> TopDownState:
        """Return an independent state with the same arcs and stack."""
        twin = TopDownState.__new__(TopDownState)
        twin.tree = self.tree.copy()
        twin.stack = self.stack.copy()
        twin.last = self.last.copy()
        twin.siblings = self.siblings.copy()
        return twin

    @property
    def focus(self) -> int:
        """The word on top of the stack."""
        return self.stack[-1]

    @property
    def waiting(self) -> list[int]:
        """The words without a head."""
        return [word for word in range(1, self.tree.n + 1) if self.tree.heads[word] is None]

    def follows(self, word: int, position: int) -> bool:
        """Whether a position comes after the last dependent of a word: rightwards first, then leftwards."""
        last = self.last[word]
        if not last or (last > word and position < word):
            return True
        return position > last if last > word else position < last

    def point(self, position: int) -> None:
        """Attach a word to the focus word and make it the next one, or pop the focus word."""
        focus = self.focus
        if position == focus:
            if focus == 0:
                raise UsageError("ROOT cannot be popped")
            self.stack.pop()
            return
        if not self.follows(focus, position):
            raise UsageError(f"word {position} comes before dependent {self.last[focus]} of word {focus}")
        self.tree.attach(position, focus)
        self.siblings[position] = self.last[focus]
        self.last[focus] = position
        self.stack.append(position)


def n_top_down_steps(n: int) -> int:
    """Return the number of steps that build a tree of n words."""
    return 2 * n - 1


def legal_positions(state: TopDownState, constraints: Constraints) -> list[bool]:
    """Return for every node 0..n whether the focus word may point at it; at least one may, until the tree is done."""
    tree, focus, waiting = state.tree, state.focus, state.waiting
    legal = [False] * (tree.n + 1)
    if not (focus == 0 and constraints.single_root and tree.root_dependent):
        for word in waiting:
            legal[word] = state.follows(focus, word)
    if constraints.projective:
        turns = not any(word > focus for word in left_behind(state, constraints))
        for word in waiting:
            crosses_nothing = tree.lo[focus] <= word <= tree.hi[focus] and tree.lo[word] <= focus <= tree.hi[word]
            legal[word] = legal[word] and crosses_nothing and (word > focus or turns)
    legal[focus] = focus != 0 and not left_behind(state, constraints)
    return legal


def left_behind(state: TopDownState, constraints: Constraints) -> list[int]:
    """Return the words without a head that could get none if the focus word were popped."""
    focus, head, waiting = state.focus, state.tree.heads[state.focus], state.waiting
    if head is None:
        return waiting
    if constraints.projective:
        if head == 0 and constraints.single_root:
            return waiting
        return [word for word in waiting if min(focus, head) < word < max(focus, head)]
    others = state.stack[1 if constraints.single_root else 0 : -1]
    return [] if any(state.follows(other, word) for other in others for word in waiting) else waiting


def top_down_steps(heads: Sequence[int | None]) -> list[TopDownStep]:
    """Return the steps that build a tree, given the heads of words 1..n."""
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        if head is None:
            raise UsageError(f"word {word} has no head, expected a complete tree")
        if not 0 <= head <= len(heads):
            raise UsageError(f"head {head} of word {word} is outside a sentence of {len(heads)} words")
        dependents[head].append(word)
    remaining = [list(_inside_out(head, words)) for head, words in enumerate(dependents)]
    state = TopDownState(len(heads))
    steps = []
    for _step in range(n_top_down_steps(len(heads))):
        focus = state.focus
        position = remaining[focus].pop(0) if remaining[focus] else focus
        steps.append(TopDownStep(focus, position, state.tree.heads[focus] if focus else None, state.siblings[focus]))
        state.point(position)
    return steps


def _inside_out(head: int, dependents: Sequence[int]) -> Iterator[int]:
    """Yield the dependents on the right, nearest first, then those on the left, nearest first."""
    yield from (word for word in dependents if word > head)
    yield from (word for word in reversed(dependents) if word < head)
