"""A line chart as SVG text for a page that styles it: one line a system over groups that follow each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["LineChart", "axis_ticks"]

_WIDTH, _HEIGHT = 520, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 34, 48
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5l5 9h-10z",
    "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
    "M0 5l5 -9h-10z",
    "M-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",
)
"""Shapes tell the lines apart where colours do not: circle, square, triangle, diamond, its mirror, cross."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """Values in percent of several series over the same groups.

    Attributes:
        title: Above the chart.
        groups: Names on the horizontal axis, with the words of each group.
        series: The name of each line and its values.
    """

    title: str
    groups: Sequence[tuple[str, int]]
    series: Sequence[tuple[str, Sequence[float]]]

    def to_svg(self) -> str:
        """The chart; lines and markers have the classes s0, s1 … and take their colours from the page."""
        values = [value for _name, line in self.series for value in line]
        ticks = axis_ticks(min(values), max(values))
        parts = [
            f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(self.title)}">',
            f'<text class="title" x="{_LEFT}" y="18">{escape(self.title)}</text>',
        ]
        for tick in ticks:
            y = self._y(tick, ticks)
            parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
            parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for place, (name, words) in enumerate(self.groups):
            x, y = self._x(place), _HEIGHT - _BOTTOM
            parts.append(f'<text class="tick" x="{x:.1f}" y="{y + 20}" text-anchor="middle">{escape(name)}</text>')
            parts.append(f'<text class="words" x="{x:.1f}" y="{y + 36}" text-anchor="middle">{words:,}</text>')
        parts += [self._line(number, name, line, ticks) for number, (name, line) in enumerate(self.series)]
        return "\n".join([*parts, "</svg>"])

    def _line(self, number: int, name: str, values: Sequence[float], ticks: Sequence[float]) -> str:
        points = [(self._x(place), self._y(value, ticks)) for place, value in enumerate(values)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        markers = "".join(
            f'<path d="{marker(number)}" transform="translate({x:.1f} {y:.1f})">'
            f"<title>{escape(name)}, {escape(group)}: {value:.2f}</title></path>"
            for (x, y), value, (group, _words) in zip(points, values, self.groups, strict=True)
        )
        return f'<g class="s{number % 8}"><path class="line" d="{path}"/>{markers}</g>'

    def _x(self, place: int) -> float:
        width = (_WIDTH - _LEFT - _RIGHT) / len(self.groups)
        return _LEFT + (place + 0.5) * width

    def _y(self, value: float, ticks: Sequence[float]) -> float:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def marker(number: int) -> str:
    """The outline of a series' marker around the origin."""
    return _MARKERS[number % len(_MARKERS)]


def axis_ticks(low: float, high: float) -> list[float]:
    """Between three and eight round numbers, the first not above `low` and the last not below `high`."""
    span = max(high - low, 1e-3)
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power * 6 >= span)
    first, last = math.floor(low / step), math.ceil(high / step)
    if last - first < 2:
        last = first + 2
    return [round(number * step, 10) for number in range(first, last + 1)]
