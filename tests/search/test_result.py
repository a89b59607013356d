"""Tests of the options of a search."""

from __future__ import annotations

from pointree.search.result import SearchOptions


def test_the_defaults_are_those_of_universal_dependencies_and_the_paper() -> None:
    options = SearchOptions()
    assert (options.beam_width, options.n_best) == (1, 1)
    assert options.single_root
    assert not options.projective
