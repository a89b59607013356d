"""What a running grid shows on standard error: a live table on a terminal, a line for every change elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer
from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pointree.experiments.cell import TrainingRun
from pointree.experiments.results import CellProgress, read_metrics
from pointree.experiments.runner import State

if TYPE_CHECKING:
    from pointree.experiments.runner import Status

__all__ = ["ExperimentDisplay", "cells_table"]

_STYLES = {
    State.RUNNING: "cyan",
    State.FINISHED: "green",
    State.FAILED: "red",
    State.ELSEWHERE: "yellow",
    State.CHANGED: "yellow",
}
_RANKS = {
    state: rank
    for rank, state in enumerate(
        (State.RUNNING, State.ELSEWHERE, State.FAILED, State.CHANGED, State.WAITING, State.FINISHED)
    )
}
_REFRESH_SECONDS = 2.0
_MOST_ROWS = 30


class ExperimentDisplay:
    """Shows the cells of a grid while they run."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.live: Live | None = None
        if sys.stderr.isatty():
            self.live = Live(console=self.console, refresh_per_second=2, transient=True)
        self.shown: dict[str, tuple[Any, ...]] = {}
        self.refreshed = 0.0

    def __enter__(self) -> Self:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()

    def note(self, text: str) -> None:
        """Write a line that stays."""
        if self.live is None:
            typer.echo(text, err=True)
        else:
            self.live.console.print(text, highlight=False, markup=False)

    def update(self, statuses: Sequence[Status]) -> None:
        """Show where the cells stand, if it has changed or some time has gone by."""
        now = {status.cell.name: (status.state, status.detail) for status in statuses}
        changed = [status for status in statuses if self.shown.get(status.cell.name) != now[status.cell.name]]
        first = not self.shown
        self.shown = now
        for status in changed:
            # What was finished before is told in sum; what waits is no news, and the table has what runs.
            known = status.state in (State.WAITING, State.CHANGED) or (first and status.state is State.FINISHED)
            if not known and (self.live is None or status.state in (State.FINISHED, State.FAILED)):
                detail = f": {status.detail}" if status.detail else ""
                self.note(f"{status.cell.name} {status.state}{detail}")
        if first and (finished := sum(status.state is State.FINISHED for status in statuses)):
            self.note(f"{finished} of {len(statuses)} cells were finished before")
        if self.live is not None and (changed or time.monotonic() - self.refreshed > _REFRESH_SECONDS):
            self.live.update(cells_table(statuses))
            self.refreshed = time.monotonic()


def cells_table(statuses: Sequence[Status]) -> Table:
    """Where every cell stands, running ones first if there are many."""
    counts = Counter(status.state for status in statuses)
    title = ", ".join(f"{count} {state}" for state, count in counts.items())
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for name in ("cell", "state"):
        table.add_column(name, overflow="fold")
    for name in ("epoch", "dev LAS", "best", "words/s", "minutes", "left"):
        table.add_column(name, justify="right", no_wrap=True)
    ranked = list(statuses)
    if len(ranked) > _MOST_ROWS:
        ranked.sort(key=lambda status: _RANKS[status.state])
    for status in ranked[:_MOST_ROWS]:
        style = _STYLES.get(status.state, "dim")
        state = f"{status.state}: {status.detail}" if status.detail else str(status.state)
        table.add_row(status.cell.name, Text(state, style), *_figures(status))
    if len(ranked) > _MOST_ROWS:
        table.add_row(f"… and {len(ranked) - _MOST_ROWS} more", "")
    return table


def _figures(status: Status) -> list[str]:
    progress: CellProgress = read_metrics(status.folder)
    if not isinstance(status.cell, TrainingRun) or not progress.epochs:
        return []
    last, best = progress.epochs[-1], progress.best(status.cell.config.selection.metric) or {}
    epochs, done = status.cell.config.training.epochs, len(progress.epochs)
    left = last["seconds"] / done * (epochs - done) / 60
    return [
        f"{done}/{epochs}",
        f"{last['dev_las']:.2f}",
        f"{best['dev_las']:.2f}",
        f"{last['words_per_s']:,.0f}",
        f"{last['seconds'] / 60:.0f}",
        f"{left:.0f}" if status.state is State.RUNNING else "",
    ]
