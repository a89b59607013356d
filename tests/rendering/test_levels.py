"""Arcs above a line of words: the lowest levels at which nested arcs do not touch."""

from __future__ import annotations

from hypothesis import given

from pointree.rendering.levels import Arc, place_arcs

from .samples import graphs, trees


def test_the_levels_of_an_example() -> None:
    assert place_arcs([4, 3, 1, 0, 4, 4], list("abcdef")) == [
        Arc(3, 2, "b", 1),
        Arc(4, 5, "e", 1),
        Arc(1, 3, "c", 2),
        Arc(4, 6, "f", 2),
        Arc(4, 1, "a", 3),
        Arc(0, 4, "d", 4),
    ]


@given(trees())
def test_arcs_over_the_same_words_have_levels_of_their_own_and_longer_ones_are_higher(
    heads: list[int],
) -> None:
    arcs = [arc for arc in place_arcs(heads, ["_"] * len(heads)) if arc.head]
    for one in arcs:
        for other in arcs:
            if one != other and one.left < other.right and other.left < one.right:
                assert one.level != other.level
                if one.right - one.left < other.right - other.left:
                    assert one.level < other.level


@given(trees())
def test_every_level_is_needed(heads: list[int]) -> None:
    arcs = place_arcs(heads, ["_"] * len(heads))
    assert {arc.level for arc in arcs} == set(range(1, 1 + max(arc.level for arc in arcs)))


@given(graphs)
def test_only_arcs_inside_the_sentence_are_placed(heads: list[int | None]) -> None:
    arcs = place_arcs(heads, ["_"] * len(heads))
    drawn = {d for d, head in enumerate(heads, 1) if head is not None and head <= len(heads) and head != d}
    assert {arc.dependent for arc in arcs} == drawn
