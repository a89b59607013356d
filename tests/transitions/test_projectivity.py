from __future__ import annotations

import pytest

from pointree.transitions import is_projective

from .trees import all_trees, is_projective_by_descent


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_no_crossing_arcs_is_the_same_as_descent(n: int) -> None:
    for heads in all_trees(n, single_root=False, projective=False):
        assert is_projective(heads) == is_projective_by_descent(heads), heads


def test_an_arc_over_the_root_word_is_not_projective() -> None:
    assert not is_projective([3, 0, 2])
    assert is_projective([2, 0, 2])
