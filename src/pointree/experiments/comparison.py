"""What a comparison of systems found, as data, as Markdown and as the paper's four panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pointree.analysis.bootstrap import Comparison
from pointree.analysis.plots import new_figure, series_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Effect", "GridComparison", "SystemComparison", "panels"]

_METRICS = {"las_subtypes": "LAS of whole labels", "las": "LAS without subtypes", "uas": "UAS"}
_PANELS = ("Sentence length", "Word position")

Curve = list[tuple[str, int, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference between a system and the base on some words.

    Attributes:
        name: Of the group of words.
        words: Their number.
        score: The system's accuracy, the mean over seeds.
        base_score: The base's.
        comparison: The difference, with its interval and p-value.
        ahead: With how many seeds the system was ahead, and the number of seeds.
    """

    name: str
    words: int
    score: float
    base_score: float
    comparison: Comparison
    ahead: tuple[int, int]

    @property
    def difference(self) -> str:
        """The difference and its interval as a table shows them, in bold where p is below 0.05."""
        own = self.comparison
        text = f"{own.difference:+.2f} ({own.low:+.2f} … {own.high:+.2f})"
        return f"**{text}**" if own.p_value < 0.05 else text


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """A system compared with the base: the seeds of each treebank, the overall effect, and that on groups of words."""

    system: str
    seeds: Mapping[str, tuple[int, ...]]
    overall: Effect
    groups: Mapping[str, tuple[Effect, ...]]


@dataclass(frozen=True, slots=True)
class GridComparison:
    """Systems compared with a base.

    Attributes:
        base: The system that the others are compared with.
        split: The split that was parsed.
        metric: What counts as right.
        treebanks: The treebanks, with the words of each that count.
        systems: The other systems.
        curves: For each question: its groups, their words, and the accuracy of each system, the mean over its seeds.
        resamples: The number of draws of the bootstrap.
        notes: What is missing, and why.
    """

    base: str
    split: str
    metric: str
    treebanks: Mapping[str, int]
    systems: tuple[SystemComparison, ...]
    curves: Mapping[str, Curve]
    resamples: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON."""
        return asdict(self)

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        words = ", ".join(f"{name} ({count:,} words)" for name, count in self.treebanks.items())
        lines = [
            f"{_METRICS[self.metric]} on {self.split} of {words}: the difference to {self.base}, mean over seeds, with "
            f"the 95 % interval of a paired bootstrap over seeds and sentences ({self.resamples:,} draws). "
            "Bold: p < 0.05.",
            "",
            *self._overall(),
        ]
        for title in self.curves:
            lines += ["", f"By {title.lower()}:", "", *self._by_group(title)]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.notes)]).rstrip() + "\n"

    def _overall(self) -> Iterator[str]:
        yield f"| system | seeds | its score | {self.base} | difference (95 %) | p | ahead with |"
        yield "|---|---|---|---|---|---|---|"
        for each in self.systems:
            own = each.overall
            seeds = "; ".join(
                f"{', '.join(map(str, seeds))}" + (f" ({name})" if len(self.treebanks) > 1 else "")
                for name, seeds in each.seeds.items()
            )
            cells = [f"{own.score:.2f}", f"{own.base_score:.2f}", own.difference, f"{own.comparison.p_value:.3f}"]
            yield f"| {each.system} | {seeds} | " + " | ".join(cells) + f" | {own.ahead[0]} of {own.ahead[1]} seeds |"

    def _by_group(self, title: str) -> Iterator[str]:
        yield f"| {title.lower()} | words | {self.base} | " + " | ".join(each.system for each in self.systems) + " |"
        yield "|---|---|---|" + "---|" * len(self.systems)
        for name, words, accuracies in self.curves[title]:
            effects = [next((e for e in each.groups[title] if e.name == name), None) for each in self.systems]
            cells = ["–" if effect is None else effect.difference for effect in effects]
            yield f"| {name} | {words:,} | {accuracies[self.base]:.2f} | " + " | ".join(cells) + " |"


def panels(comparisons: Sequence[tuple[str, GridComparison]]) -> Figure:
    """The paper's figure: accuracy by sentence length above, by word position below, one column a pool of treebanks."""
    figure = new_figure(1.0 + 4.6 * len(comparisons), 7.0)
    axes = figure.subplots(2, len(comparisons), squeeze=False)
    for column, (name, comparison) in enumerate(comparisons):
        systems = [comparison.base, *(each.system for each in comparison.systems)]
        for row, title in enumerate(_PANELS):
            ax, curve = axes[row, column], comparison.curves[title]
            for number, system in enumerate(systems):
                values = [accuracies.get(system, float("nan")) for _group, _words, accuracies in curve]
                groups = [group for group, _words, _accuracies in curve]
                ax.plot(groups, values, label=system, linewidth=1.6, markersize=5, **series_style(number))
            ax.set_title(f"({'abcdefgh'[row * len(comparisons) + column]}) {name}", fontsize=10)
            ax.set_xlabel(title)
            ax.set_ylabel("UAS" if comparison.metric == "uas" else "LAS")
            ax.grid(axis="y", color="#dddddd", linewidth=0.7)
            ax.spines[["top", "right"]].set_visible(False)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(4, len(labels)), frameon=False)
    return figure
