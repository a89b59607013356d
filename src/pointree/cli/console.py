"""What commands show: tables and JSON on standard output, progress and warnings on standard error.

rich takes a tenth of a second to import, so it is imported where it draws and not before.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

__all__ = [
    "fitting_tables",
    "new_table",
    "notice",
    "print_json",
    "progress_bar",
    "progress_while",
    "shard_progress",
    "show",
    "track",
    "warn",
]

Item = TypeVar("Item")

_PIPE_WIDTH = 160
"""Columns of a table that goes to a file or a pipe, where rich would assume 80 and cut names."""


def new_table(title: str, *columns: str, text_columns: int = 1) -> Table:
    """A table whose first columns hold text and whose other columns hold right-aligned numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, title_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < text_columns else "right", no_wrap=index > 0)
    return table


def fitting_tables(build: Callable[[Sequence[int]], Table], places: Sequence[int]) -> list[Table]:
    """One table of all places, or several with as many each as fit, where one would be too wide to be read."""
    console = _console(stderr=False)
    unlimited = console.options.update(max_width=100_000)
    tables: list[Table] = []
    while places:
        count = len(places)
        while console.measure(table := build(places[:count]), options=unlimited).maximum > console.width and count > 1:
            count -= 1
        tables.append(table)
        places = places[count:]
    return tables


def show(*items: Table | str) -> None:
    """Write tables and lines to standard output; what looks like markup in them is left alone.

    A line is not wrapped: whoever reads it from a pipe gets it whole.
    """
    console = _console(stderr=False)
    for item in items:
        console.print(item, highlight=False, soft_wrap=isinstance(item, str))


def print_json(value: Any) -> None:
    """Write a value as indented JSON to standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def notice(message: str) -> None:
    """Write a notice of one line to standard error: nothing is wrong, but the user should know."""
    logging.getLogger("pointree.messages").info(message)


def warn(message: str) -> None:
    """Write a warning of one line to standard error."""
    logging.getLogger("pointree.messages").warning(message)


def progress_bar() -> Progress:
    """A progress display on standard error, gone when it is done and silent where nobody looks."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=_console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def progress_while(description: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """A function that moves a bar, given what is done and how much there is; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    with progress_bar() as progress:
        task = progress.add_task(description, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def track(items: Iterable[Item], description: str, total: int | None = None) -> Iterator[Item]:
    """Pass the items on while a bar shows how many went by."""
    if not sys.stderr.isatty():
        yield from items
        return
    with progress_bar() as progress:
        yield from progress.track(items, total=total, description=description)


@contextmanager
def shard_progress() -> Iterator[Callable[[int, int, int], None]]:
    """A bar of shards with the speed of this run; call it with shards done, all shards, and words parsed."""
    import time

    started = time.perf_counter()
    with progress_bar() as progress:
        bar = progress.add_task("parsing", total=None)

        def advance(done: int, total: int, words: int) -> None:
            speed = words / max(time.perf_counter() - started, 1e-3)
            progress.update(bar, completed=done, total=total, description=f"shards  {speed:,.0f} words/s")

        yield advance


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Names of files, labels and tags are shown as they are, also those with brackets or colons.
    return Console(stderr=stderr, width=None if stream.isatty() else _PIPE_WIDTH, markup=False, emoji=False)
