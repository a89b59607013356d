"""The public names of the treebank package."""

from __future__ import annotations

from pointree import treebank


def test_public_names_are_sorted_and_there() -> None:
    assert treebank.__all__ == sorted(treebank.__all__)
    for name in treebank.__all__:
        assert getattr(treebank, name).__module__.startswith("pointree.treebank.")
