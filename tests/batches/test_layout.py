"""Tests of where the words of a batch lie."""

from __future__ import annotations

import numpy as np
import pytest

from pointree.batches.layout import Layout


def test_rows_step_by_step() -> None:
    layout = Layout.of_lengths([3, 3, 1])
    assert layout.active == [3, 2, 2]
    assert layout.offsets == [0, 3, 5, 7]
    assert layout.table.tolist() == [[0, 3, 5], [1, 4, 6], [2, 0, 0]]
    assert layout.owners.tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert layout.ends.tolist() == [5, 6, 2]


def test_mirrored_rows_are_those_of_sentences_read_backwards() -> None:
    layout = Layout.of_lengths([3, 2])
    words = np.array([["a", "b", "c"], ["d", "e", ""]])
    assert layout.pack(words)[layout.mirrored].tolist() == ["c", "e", "b", "d", "a"]


def test_lengths_must_fall() -> None:
    with pytest.raises(ValueError, match="sorted by length"):
        Layout.of_lengths([2, 3])
