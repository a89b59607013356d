"""The figures of a report as a plot: ours with their spread, and the paper's beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pointree.analysis.plots import new_figure
from pointree.experiments.report import METRIC_NAMES, Entry, Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["report_plot"]

_OURS, _PAPER = "#0072b2", "#d55e00"


def report_plot(report: Report) -> Figure:
    """One panel for each split and column of the table, one line for each system."""
    splits = [split for split in ("dev", "test") if any(entry.split == split for entry in report.entries)]
    panels = [(split, treebank, metric) for split in splits for treebank, metric in report.columns]
    columns = min(5, len(report.columns))
    rows = -(-len(panels) // columns)
    height = 0.9 + 0.26 * max(3, len(report.row_names))
    figure = new_figure(1.6 + 2.6 * columns, 0.5 + height * rows)
    axes = figure.subplots(rows, columns, squeeze=False).flatten()
    names: list[str] = []
    for number, (split, treebank, metric) in enumerate(panels):
        entries = {entry.system: entry for entry in report.entries if _key(entry) == (split, treebank, metric)}
        before, names = names, [name for name in report.row_names if name in entries][::-1]
        ax = axes[number]
        for place, name in enumerate(names):
            _draw(ax, place, entries[name])
        ax.set_yticks(range(len(names)), names, fontsize=7)
        ax.set_ylim(-0.6, len(names) - 0.4)
        if number % columns and names == before:  # the panel to the left has them; test may have fewer than dev
            ax.tick_params(labelleft=False)
        ax.set_title(f"{treebank} {split} {METRIC_NAMES[metric]}", fontsize=9)
        ax.tick_params(axis="x", labelsize=7)
        ax.grid(axis="x", color="#dddddd", linewidth=0.7)
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    handles = [
        axes[0].scatter([], [], color=_OURS, s=22, label="pointree"),
        axes[0].scatter([], [], facecolor="none", edgecolor=_PAPER, marker="D", s=20, label="paper"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    return figure


def _key(entry: Entry) -> tuple[str, str, str]:
    return entry.split, entry.treebank, entry.metric


def _draw(ax: Any, place: int, entry: Entry) -> None:
    """One system: our seeds and their mean above, the paper's mean below, both with standard deviations."""
    if entry.mean is not None:
        ax.errorbar(entry.mean, place + 0.12, xerr=entry.sd, color=_OURS, marker="o", markersize=4.5, capsize=2)
        ax.plot([*entry.values.values()], [place + 0.12] * len(entry.values), "|", color=_OURS, markersize=5)
    if entry.paper is not None:
        style = {"marker": "D", "markersize": 4, "markerfacecolor": "none", "capsize": 2}
        ax.errorbar(entry.paper.mean, place - 0.16, xerr=entry.paper.sd, color=_PAPER, **style)
