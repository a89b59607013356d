"""Trees by definition, slow and obvious, to hold the fast code against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from pointree.transitions import GoldStep

Heads = tuple[int, ...]


def ancestors(heads: Sequence[int], word: int) -> list[int]:
    """Return the chain of heads above a word, ROOT last; it stops where it would repeat a node."""
    chain: list[int] = []
    while word and heads[word - 1] not in chain:
        word = heads[word - 1]
        chain.append(word)
    return chain


def rebuild(steps: Iterable[GoldStep]) -> list[int]:
    """Return the heads of words 1..n that the steps assign."""
    assigned = {step.focus: step.head for step in steps}
    return [assigned[word] for word in range(1, len(assigned) + 1)]


def is_tree(heads: Sequence[int]) -> bool:
    """Tell whether every word has ROOT above it."""
    return all(0 in ancestors(heads, word) for word in range(1, len(heads) + 1))


def has_single_root(heads: Sequence[int]) -> bool:
    return list(heads).count(0) == 1


def is_projective_by_descent(heads: Sequence[int]) -> bool:
    """Tell whether every word between a head and its dependent descends from the head."""
    return all(
        head in ancestors(heads, between)
        for dependent, head in enumerate(heads, start=1)
        for between in range(min(head, dependent) + 1, max(head, dependent))
    )


def all_trees(n: int, *, single_root: bool, projective: bool) -> set[Heads]:
    """Return every tree over n words, found by trying all heads."""
    return {
        heads
        for heads in product(range(n + 1), repeat=n)
        if is_tree(heads)
        and (has_single_root(heads) or not single_root)
        and (is_projective_by_descent(heads) or not projective)
    }
