"""Whether the heads of a sentence form a tree with one root."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["tree_faults"]


def tree_faults(heads: Sequence[int | None]) -> list[str]:
    """What keeps these heads, of words 1..n, from being a tree with exactly one root; nothing if they are.

    The faults are missing heads, heads outside the sentence, a number of roots other than one, and cycles.
    """
    faults = []
    missing = [word for word, head in enumerate(heads, 1) if head is None]
    if missing:
        faults.append(f"no HEAD for {_words(missing)}")
    for word, head in enumerate(heads, 1):
        if head is not None and not 0 <= head <= len(heads):
            faults.append(f"HEAD {head} of word {word} is outside a sentence of {len(heads)} words")
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    if len(roots) > 1:
        faults.append(f"expected one root, found {len(roots)}: {_words(roots)}")
    elif not roots and not missing:
        faults.append("expected one root, found none")
    faults += [f"cycle {' → '.join(map(str, [*cycle, cycle[0]]))}" for cycle in _cycles(heads)]
    return faults


def _cycles(heads: Sequence[int | None]) -> list[list[int]]:
    """Every cycle once, from its first word along the heads."""
    cycles = []
    seen_from = [0] * (len(heads) + 1)  # the start of the walk that visited a word first
    for start in range(1, len(heads) + 1):
        word = start
        while not seen_from[word]:
            seen_from[word] = start
            head = heads[word - 1]
            if head is None or not 1 <= head <= len(heads):
                break
            word = head
        else:
            if seen_from[word] == start:
                cycles.append(_cycle_through(word, heads))
    return cycles


def _cycle_through(word: int, heads: Sequence[int | None]) -> list[int]:
    cycle = [word]
    while (head := heads[cycle[-1] - 1]) != word and head is not None:
        cycle.append(head)
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def _words(numbers: list[int], most: int = 10) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    return f"word{'s' * (len(numbers) > 1)} {shown}{', …' * (len(numbers) > most)}"
