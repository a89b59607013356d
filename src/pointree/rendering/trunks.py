"""Where the lines of a tree go when its words stand one below the other.

All arcs of a head share one vertical line, its trunk, from which a branch runs to each dependent:

    ╭─►╭──── John
    │  │ ╭─► and
    │  ╰►╰── Mary
    ├─────── play

A trunk stands further from the words than the trunks of its dependents, so an arrow always ends in front of
the lines that leave its word. In a projective tree the height of a word is then a level at which nothing
collides or crosses; other trees get the next free level, and crossings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Trunk", "place_trunks"]


@dataclass(frozen=True, slots=True)
class Trunk:
    """The vertical line of one head: the rows `top` to `bottom` at `level` (1 is next to the words)."""

    head: int
    level: int
    top: int
    bottom: int


def place_trunks(heads: Sequence[int | None], max_level: int) -> dict[int, Trunk]:
    """The trunk of each head, none of them sharing a cell with another.

    `heads` holds the head of word 1, 2, …; heads outside the sentence, 0 and None have no trunk. Nor has a
    head that would need a level over `max_level`, or that lies on a cycle: its arcs are left to the caller.
    """
    dependents: dict[int, list[int]] = {}
    for dependent, head in enumerate(heads, 1):
        if head is not None and 1 <= head <= len(heads) and head != dependent:
            dependents.setdefault(head, []).append(dependent)
    occupied = [0] * (max_level + 1)  # for each level, the rows in use as bits
    trunks: dict[int, Trunk] = {}
    for head in _from_the_leaves(heads, dependents):
        top, bottom = min(head, dependents[head][0]), max(head, dependents[head][-1])
        rows = (1 << bottom + 1) - (1 << top)
        level = 1 + max((trunks[d].level for d in dependents[head] if d in trunks), default=0)
        while level <= max_level and occupied[level] & rows:
            level += 1
        if level <= max_level:
            occupied[level] |= rows
            trunks[head] = Trunk(head, level, top, bottom)
    return trunks


def _from_the_leaves(heads: Sequence[int | None], dependents: dict[int, list[int]]) -> list[int]:
    """The words with dependents, each after those of them that are its dependents; cycles are left out."""
    waiting = {head: sum(d in dependents for d in ds) for head, ds in dependents.items()}
    order = [head for head, count in waiting.items() if count == 0]
    for word in order:
        above = heads[word - 1]
        if above in waiting and above != word:
            waiting[above] -= 1
            if waiting[above] == 0:
                order.append(above)
    return order
