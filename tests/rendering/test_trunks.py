"""Trunks never collide, stand outside those of their dependents, and need no more levels than they must."""

from __future__ import annotations

from hypothesis import given

from pointree.rendering.trunks import Trunk, place_trunks

from .samples import graphs, trees


def height(heads: list[int], word: int) -> int:
    return max((1 + height(heads, d) for d, head in enumerate(heads, 1) if head == word), default=0)


def is_projective(heads: list[int]) -> bool:
    arcs = [sorted((head, dependent)) for dependent, head in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_the_trunks_of_an_example() -> None:
    assert place_trunks([4, 3, 1, 0, 4, 4], 20) == {
        3: Trunk(head=3, level=1, top=2, bottom=3),
        1: Trunk(head=1, level=2, top=1, bottom=3),
        4: Trunk(head=4, level=3, top=1, bottom=6),
    }


@given(trees())
def test_trunks_do_not_collide(heads: list[int]) -> None:
    trunks = place_trunks(heads, 100)
    cells = [(t.level, row) for t in trunks.values() for row in range(t.top, t.bottom + 1)]
    assert len(cells) == len(set(cells))
    assert set(trunks) == set(heads) - {0}
    for dependent, head in enumerate(heads, 1):
        if head and dependent in trunks:
            assert trunks[dependent].level < trunks[head].level


@given(trees())
def test_a_projective_tree_needs_its_height(heads: list[int]) -> None:
    if is_projective(heads):
        assert all(trunk.level == height(heads, word) for word, trunk in place_trunks(heads, 100).items())


def test_a_head_beyond_the_last_level_has_no_trunk_and_frees_the_levels() -> None:
    trunks = place_trunks([2, 3, 4, 5, 0], 2)
    assert {word: trunk.level for word, trunk in trunks.items()} == {2: 1, 3: 2, 5: 1}


@given(graphs)
def test_heads_that_make_no_tree_still_end(heads: list[int | None]) -> None:
    trunks = place_trunks(heads, 20)
    assert all(1 <= trunk.top <= trunk.bottom <= len(heads) for trunk in trunks.values())


def test_cycles_have_no_trunk() -> None:
    assert set(place_trunks([2, 1, 2, 3, 5], 20)) == {3}
