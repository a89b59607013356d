"""The paper's curves as SVG, PNG or PDF files, drawn with matplotlib (the extra `pointree[plots]`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointree.analysis.compare import Analysis
from pointree.errors import MissingExtraError, UsageError
from pointree.files import writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PLOT_FORMATS", "check_formats", "check_plots", "curves", "new_figure", "save_figure", "series_style"]

PLOT_FORMATS = (".svg", ".png", ".pdf")

_COLOURS = ("#3d4652", "#0072b2", "#d55e00", "#009e73", "#b0508c", "#a37a00", "#2f8fc4", "#7a5cc9")
_MARKERS = ("o", "s", "^", "D", "v", "P")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure that needs no display; without matplotlib, an error says what to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("drawing plots", "plots") from error
    return Figure(figsize=(width, height), layout="constrained")


def series_style(number: int) -> dict[str, Any]:
    """Colour and marker of a series: the colours are told apart by colour-blind readers."""
    return {"color": _COLOURS[number % len(_COLOURS)], "marker": _MARKERS[number % len(_MARKERS)]}


def check_formats(paths: Iterable[Path]) -> None:
    """Refuse files whose suffix is no format of a plot."""
    for path in paths:
        if path.suffix not in PLOT_FORMATS:
            expected = ", ".join(PLOT_FORMATS)
            raise UsageError(f"{path}: expected a file ending in {expected}, found {path.suffix or 'none'}")


def check_plots(paths: Iterable[Path]) -> None:
    """Refuse what could not be drawn, for its format or for want of matplotlib, before anything is computed."""
    check_formats(paths)
    new_figure(1, 1)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the file's suffix."""
    check_plots([path])
    import matplotlib

    # Text stays text, and no date makes two runs differ.
    with writing(path), matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pointree"}):
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
        figure.savefig(path, dpi=160, metadata=metadata)


def curves(analysis: Analysis) -> Figure:
    """LAS and UAS by sentence length and by word position, one curve a system: the layout of the paper's figure."""
    breakdowns = {breakdown.key: breakdown for breakdown in analysis.breakdowns}
    figure = new_figure(10.0, 7.0)
    axes = figure.subplots(2, 2)
    for row, metric in enumerate(("las", "uas")):
        for column, key in enumerate(("sentence_length", "word_position")):
            ax, breakdown = axes[row, column], breakdowns[key]
            names = [group.name for group in breakdown.groups]
            for number, system in enumerate(analysis.systems):
                values = [getattr(group.accuracies[number], metric) for group in breakdown.groups]
                ax.plot(names, values, label=system, linewidth=1.6, markersize=5, **series_style(number))
            ax.set_xlabel(breakdown.title)
            ax.set_ylabel(metric.upper())
            ax.grid(axis="y", color="#dddddd", linewidth=0.7)
            ax.spines[["top", "right"]].set_visible(False)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(4, len(labels)), frameon=False)
    return figure
