"""Differences over seeds."""

from __future__ import annotations

import pytest

from pointree.experiments.differences import seed_difference


def test_the_interval_is_students() -> None:
    found = seed_difference({1: 63.0, 2: 64.0, 3: 66.0, 9: 0.0}, {1: 62.0, 2: 62.0, 3: 63.0})
    assert found is not None
    assert found.values == {1: 1.0, 2: 2.0, 3: 3.0}
    assert found.mean == 2.0
    assert found.interval == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))
    assert [*found.cells()] == ["+2.00", "-0.48 … +4.48", "3 of 3"]


def test_an_interval_that_does_not_hold_zero_is_bold() -> None:
    found = seed_difference({1: 1.0, 2: 1.1, 3: 0.9}, {1: 0.0, 2: 0.0, 3: 0.0})
    assert found is not None
    assert next(found.cells()) == "**+1.00**"


def test_one_seed_has_no_interval_and_no_common_seed_no_difference() -> None:
    found = seed_difference({1: 1.0}, {1: 2.0})
    assert found is not None
    assert [*found.cells()] == ["-1.00", "–", "0 of 1"]
    assert seed_difference({1: 1.0}, {2: 2.0}) is None
