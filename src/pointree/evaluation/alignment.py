"""Which word of the system stands for which gold word, when the two may have cut the same text differently.

Words that are tokens of their own are the same word when they stand on the same characters. Words inside
multiword tokens have no characters of their own, so they are compared by their forms: the text has *regions*,
the smallest stretches that hold at least one multiword token of either side and that no multiword token of
either side reaches into or out of, and the words inside a region are aligned by a longest common subsequence
of their forms in lower case.

The official evaluator, which reads both sides from left to right, departs from this definition in two ways
that are kept here so that scores are equal. When one side enters a region while the other still has several
tokens before it, only the first of these is passed over, and the others take part in the comparison of forms.
And a region takes words in the order in which they start, until neither side has one inside: a token that
sticks out of the region is taken too if the other side still has words in the region that start later.
"""

from __future__ import annotations

from collections.abc import Sequence

from pointree.evaluation.layout import Layout, PlacedWord, Span

__all__ = ["align"]


def align(gold: Layout, system: Layout) -> list[tuple[int, int]]:
    """Return the index of each aligned gold word with that of its system word, in the order of the text."""
    region_ends = _region_ends(gold.words, system.words)
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold.words) and s < len(system.words):
        ours, theirs = gold.words[g], system.words[s]
        if ours.in_range or theirs.in_range:
            end = region_ends[ours.span if ours.in_range else theirs.span]
            g += not ours.in_range and ours.span.start < theirs.span.start
            s += not theirs.in_range and theirs.span.start < ours.span.start
            g_end, s_end = _take_region(gold.words, g, system.words, s, end)
            pairs += _align_forms(gold.words, range(g, g_end), system.words, range(s, s_end))
            g, s = g_end, s_end
        elif ours.span == theirs.span:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.span.start <= theirs.span.start:
            g += 1
        else:
            s += 1
    return pairs


def _region_ends(*sides: Sequence[PlacedWord]) -> dict[Span, int]:
    """Return the end of the region of each multiword token; those that overlap share theirs."""
    ends: dict[Span, int] = {}
    region: list[Span] = []
    region_end = 0
    for span in sorted({word.span for words in sides for word in words if word.in_range}):
        if span.start >= region_end:
            region = []
        region.append(span)
        region_end = max(region_end, span.end)
        ends.update(dict.fromkeys(region, region_end))
    return ends


def _take_region(gold: Sequence[PlacedWord], g: int, system: Sequence[PlacedWord], s: int, end: int) -> tuple[int, int]:
    """Return the indices of the first words on both sides, from g and s on, that a region leaves over."""
    while True:
        gold_inside = g < len(gold) and gold[g].span.end <= end
        system_inside = s < len(system) and system[s].span.end <= end
        if not gold_inside and not system_inside:
            return g, s
        if g < len(gold) and (s == len(system) or gold[g].span.start <= system[s].span.start):
            g += 1
        else:
            s += 1


def _align_forms(
    gold: Sequence[PlacedWord], gold_range: range, system: Sequence[PlacedWord], system_range: range
) -> list[tuple[int, int]]:
    """Return the index pairs of words that a longest common subsequence of their forms aligns."""
    pairs = _common_subsequence(
        [gold[index].comparable_form for index in gold_range],
        [system[index].comparable_form for index in system_range],
    )
    return [(gold_range[g], system_range[s]) for g, s in pairs]


def _common_subsequence(gold: Sequence[str], system: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of a longest common subsequence; of several, one that skips gold words first."""
    longest = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            if gold[g] == system[s]:
                longest[g][s] = longest[g + 1][s + 1] + 1
            else:
                longest[g][s] = max(longest[g + 1][s], longest[g][s + 1])
    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs
