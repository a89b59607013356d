"""The public names of the treebank package."""

from __future__ import annotations

import pytest

from pointree import treebank


def test_public_names_are_sorted_and_there() -> None:
    assert treebank.__all__ == sorted(treebank.__all__)
    assert sorted(treebank._HOMES) == treebank.__all__
    for name in treebank.__all__:
        assert getattr(treebank, name).__module__.startswith("pointree.treebank.")


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match=r"^module 'pointree\.treebank' has no attribute 'nothing'$"):
        _ = treebank.nothing
