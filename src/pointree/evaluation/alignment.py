"""Which words of the system stand for which words of gold, where the two cut the same text into different words.

The text is cut wherever tokens of both sides end: no token reaches over such an edge, and between two of them lies
a region, the smallest part of the text that both sides fill with whole tokens.

- In a region without multiword tokens, words are aligned if they cover the same characters. They do so only where
  the region is one token on both sides.
- The words of a multiword token have no characters of their own. If either side has such a token in a region, a
  longest common subsequence of the forms in lower case is aligned. Of several, it is the one that is found by
  reading both sides from the left, pairing words that are equal, and else passing over a gold word if nothing is
  lost by it, over a system word if not.

The official evaluator of the shared task aligns the same words, but for two places where it may take in other tokens:
where a token of one side crosses the edge of a multiword token of the other, and where the tokens just before a region
with a multiword token differ. Both are rare; neither was seen to change a score on the output of a real tokeniser.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby

from pointree.evaluation.layout import PlacedText, PlacedWord

__all__ = ["align"]


def align(gold: PlacedText, system: PlacedText) -> list[tuple[int, int]]:
    """Return the indices of aligned words, gold and system, in the order of the text.

    Both sides must have the same characters.
    """
    edges = sorted({token.end for token in gold.tokens} & {token.end for token in system.tokens})
    pairs: list[tuple[int, int]] = []
    for ours, theirs in zip(_regions(gold.words, edges), _regions(system.words, edges), strict=True):
        gold_keys, system_keys = _keys(gold.words[ours], system.words[theirs])
        pairs += [(ours.start + g, theirs.start + s) for g, s in _common_subsequence(gold_keys, system_keys)]
    return pairs


def _regions(words: Sequence[PlacedWord], edges: Sequence[int]) -> Iterator[slice]:
    """Yield which words lie in each region, given where regions end."""
    start = 0
    for _, region in groupby(words, key=lambda word: bisect_left(edges, word.span.end)):
        end = start + sum(1 for _ in region)
        yield slice(start, end)
        start = end


def _keys(gold: Sequence[PlacedWord], system: Sequence[PlacedWord]) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    """Return what makes words of a region equal: their forms if a multiword token takes part, or else their spans."""
    if any(word.in_range for word in (*gold, *system)):
        return [word.comparable_form for word in gold], [word.comparable_form for word in system]
    return [word.span for word in gold], [word.span for word in system]


def _common_subsequence(gold: Sequence[Hashable], system: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the indices of a longest common subsequence.

    Let L(g, s) be its length for gold[g:] and system[s:]. Row s of the usual table is kept as the bits of one
    integer, where bit g, counted from the right end, is 0 if L(g, s) = L(g + 1, s) + 1 and 1 if the two are equal. A
    row follows from the next with a few operations on whole integers (Hyyrö 2004, "Bit-parallel LCS-length computation
    revisited"), so that thousands of words in a region take neither long nor much memory.
    """
    if gold == system:
        return [(index, index) for index in range(len(gold))]
    bits = [1 << (len(gold) - 1 - g) for g in range(len(gold))]
    occurrences: defaultdict[Hashable, int] = defaultdict(int)
    for key, bit in zip(gold, bits, strict=True):
        occurrences[key] |= bit
    every = (1 << len(gold)) - 1
    row = every
    rows = []
    for key in reversed(system):
        matched = row & occurrences[key]
        row = ((row + matched) | (row - matched)) & every
        rows.append(row)
    rows.reverse()

    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif rows[s] & bits[g]:
            g += 1
        else:
            s += 1
    return pairs
