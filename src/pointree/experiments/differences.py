"""How systems differ from a base over seeds, by the recorded scores alone: Student's t of the paired differences.

Seed by seed, the score of the base is taken from that of the system. The interval tells what other seeds would show on
the same sentences; `pointree experiment compare` draws sentences as well, and needs to know what each cell got right.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["SeedDifference", "seed_difference"]

_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""The 97.5th percentile of Student's t with 1, 2, … degrees of freedom; the last one serves for more, cautiously."""


@dataclass(frozen=True, slots=True)
class SeedDifference:
    """The differences of a system and a base, one for each seed that both have; the system's score less the base's."""

    values: Mapping[int, float]

    @property
    def mean(self) -> float:
        """The mean difference."""
        return statistics.fmean(self.values.values())

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean, for two seeds or more."""
        n = len(self.values)
        if n < 2:
            return None
        reach = _T[min(n - 1, len(_T)) - 1] * statistics.stdev(self.values.values()) / n**0.5
        return self.mean - reach, self.mean + reach

    @property
    def ahead(self) -> int:
        """The number of seeds with which the system is ahead."""
        return sum(value > 0 for value in self.values.values())

    def cells(self) -> Iterator[str]:
        """Mean, interval and seeds, as a table shows them; the mean in bold if the interval does not hold 0."""
        bounds = self.interval
        clear = bounds is not None and not bounds[0] <= 0 <= bounds[1]
        yield f"**{self.mean:+.2f}**" if clear else f"{self.mean:+.2f}"
        yield "–" if bounds is None else f"{bounds[0]:+.2f} … {bounds[1]:+.2f}"
        yield f"{self.ahead} of {len(self.values)}"


def seed_difference(scores: Mapping[int, float], base: Mapping[int, float]) -> SeedDifference | None:
    """Compare the scores of seeds; None where there is no seed that both have."""
    common = sorted(scores.keys() & base.keys())
    return SeedDifference({seed: scores[seed] - base[seed] for seed in common}) if common else None
