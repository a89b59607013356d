"""Line charts as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.analysis.line_chart import LineChart, axis_ticks


@given(st.floats(0, 100), st.floats(0, 100))
def test_ticks_are_few_and_enclose_the_values(one: float, other: float) -> None:
    low, high = sorted((one, other))
    ticks = axis_ticks(low, high)
    assert 3 <= len(ticks) <= 9
    assert ticks[0] <= low + 1e-6
    assert ticks[-1] >= high - 1e-6


def test_ticks_are_round() -> None:
    assert axis_ticks(71.3, 88.2) == [70, 75, 80, 85, 90]


def test_the_chart_is_well_formed_and_has_every_point() -> None:
    chart = LineChart("LAS <by> length", [("1–10", 1200), ("> 40", 7)], [("a & b", [80.0, 60.5]), ("c", [70.0, 70.0])])
    tree = ElementTree.fromstring(chart.to_svg())
    titles = [title.text for title in tree.iter("title")]
    assert titles == ["a & b, 1–10: 80.00", "a & b, > 40: 60.50", "c, 1–10: 70.00", "c, > 40: 70.00"]
    texts = [text.text for text in tree.iter("text")]
    assert {"LAS <by> length", "1,200", "> 40"} <= set(texts)


@pytest.mark.parametrize("value", [0.0, 100.0])
def test_one_point(value: float) -> None:
    ElementTree.fromstring(LineChart("t", [("all", 1)], [("s", [value])]).to_svg())
