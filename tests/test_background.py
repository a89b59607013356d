"""Iterating in the background: same items, bounded, errors where they belong."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from pointree.background import in_background


def test_items_come_in_order() -> None:
    assert list(in_background(range(100))) == list(range(100))


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("boom")

    found = in_background(items())
    assert next(found) == 1
    with pytest.raises(ValueError, match="boom"):
        next(found)


def test_it_runs_ahead_by_no_more_than_asked() -> None:
    produced = []

    def items() -> Iterator[int]:
        for number in range(50):
            produced.append(number)
            yield number

    found = in_background(items(), ahead=3)
    assert next(found) == 0
    time.sleep(0.3)
    assert len(produced) <= 1 + 3 + 1
    assert list(found) == list(range(1, 50))


def test_an_abandoned_iteration_stops_its_thread() -> None:
    found = in_background(iter(int, 1), ahead=1)
    next(found)
    found.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 5
    while any(thread.name == "pointree-background" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
