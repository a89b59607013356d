"""Align the words of the system with the words of gold, where the two cut the same text into different words.

- Words that are tokens of their own are aligned if they cover the same characters.
- The words of a multiword token have no characters of their own. Each multiword token opens a *region*, which grows
  until it holds every multiword token of both sides that it touches and all words that end inside it. In a region, a
  longest common subsequence of the forms in lower case is aligned. Of several, it is the one that is found by reading
  both sides from the left, pairing words that are equal, and else skipping a gold word if nothing is lost by it, a
  system word if not.

Both rules read the text once from the left, exactly as the official evaluator does. This matters where tokens overlap
in part: a word that the other side has left behind may then enter a region that starts after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from pointree.evaluation.placed_text import PlacedText, PlacedWord

__all__ = ["align"]


def align(gold: PlacedText, system: PlacedText) -> list[tuple[int, int]]:
    """Return the indices of aligned words, gold and system, in the order of the text.

    Both sides must have the same characters.
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold.words) and s < len(system.words):
        ours, theirs = gold.words[g], system.words[s]
        if ours.in_range or theirs.in_range:
            first_g, first_s = _region_start(ours, theirs, g, s)
            end = (ours if ours.in_range else theirs).span.end
            g, s = _region_end(gold.words, system.words, first_g, first_s, end)
            gold_forms = [word.comparable_form for word in gold.words[first_g:g]]
            system_forms = [word.comparable_form for word in system.words[first_s:s]]
            pairs += [(first_g + i, first_s + j) for i, j in _common_subsequence(gold_forms, system_forms)]
        elif ours.span == theirs.span:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.span.start <= theirs.span.start:
            g += 1
        else:
            s += 1
    return pairs


def _region_start(ours: PlacedWord, theirs: PlacedWord, g: int, s: int) -> tuple[int, int]:
    """Return the first words of a region: a plain word that starts before the multiword token is left out."""
    if ours.in_range and not theirs.in_range and theirs.span.start < ours.span.start:
        return g, s + 1
    if theirs.in_range and not ours.in_range and ours.span.start < theirs.span.start:
        return g + 1, s
    return g, s


def _region_end(gold: Sequence[PlacedWord], system: Sequence[PlacedWord], g: int, s: int, end: int) -> tuple[int, int]:
    """Return the first words after a region that reaches to the character `end` at least."""
    while _is_inside(gold, g, end) or _is_inside(system, s, end):
        if g < len(gold) and (s == len(system) or gold[g].span.start <= system[s].span.start):
            word = gold[g]
            g += 1
        else:
            word = system[s]
            s += 1
        if word.in_range:
            end = max(end, word.span.end)
    return g, s


def _is_inside(words: Sequence[PlacedWord], index: int, end: int) -> bool:
    """Tell whether a word belongs to a region: a multiword token if it starts there, another word if it ends there."""
    if index == len(words):
        return False
    word = words[index]
    return word.span.start < end if word.in_range else word.span.end <= end


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
