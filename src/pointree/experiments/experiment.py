"""The two things to do with a grid: run its cells, and report on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import get_args

from pointree.errors import UsageError
from pointree.experiments.cell import Cell
from pointree.experiments.grid import Grid, load_grid
from pointree.experiments.remote import remote_program
from pointree.experiments.report import make_report
from pointree.experiments.runner import LOCAL_PROGRAM, Changed, Runner, Status
from pointree.files import atomic_write

__all__ = ["report_experiment", "run_experiment"]

PathLike = str | os.PathLike[str]


def run_experiment(
    grid: PathLike,
    *,
    jobs: int = 1,
    threads_per_job: int | None = None,
    only: Sequence[str] = (),
    output: PathLike | None = None,
    results: PathLike | None = None,
    changed: Changed = "refuse",
    device: str = "cpu",
    cluster: str | None = None,
    dry_run: bool = False,
    observe: Callable[[Sequence[Status]], None] = lambda _statuses: None,
    note: Callable[[str], None] = lambda _text: None,
    on_notice: Callable[[str], None] | None = None,
) -> list[Status]:
    """Train and score all cells of a grid, and return where each of them stands.

        >>> pointree.run_experiment("experiments/tr_imst.toml", jobs=2, only=["*.seed1"])

    Each cell is a training run in a process and a folder of its own. Call it again after a kill: finished cells are
    skipped, the others resumed. A cell that fails does not stop the others.

    Args:
        grid: A TOML file with the systems, treebanks and seeds.
        jobs: How many cells run at a time.
        threads_per_job: CPU threads of each; the cores divided by `jobs` by default.
        only: Patterns such as ``tr_imst.*``; cells that fit all of them are run, and the cells that these need.
        output: The folder of the models; ``runs/NAME`` by default.
        results: The folder of the results; ``results/NAME`` beside the grid by default.
        changed: What to do with cells that another version of the grid made: "refuse", "rerun" or "keep" them.
        device: Where to train, such as ``cuda``.
        cluster: The address of a Ray cluster to whose nodes the cells go, or ``auto``. All of them must see the files.
        dry_run: Only find out where the cells stand.
        observe: Called with all cells whenever something may have changed.
        note: Called with a line of text about something unusual.
        on_notice: Called with a line about each old setting in the grid.
    """
    choices = get_args(Changed)
    if changed not in choices:
        raise UsageError(f"changed must be one of {', '.join(choices)}, found {changed}")
    loaded = load_grid(Path(grid), on_notice=on_notice)
    threads = threads_per_job or (1 if cluster else max(1, (os.cpu_count() or 1) // jobs))
    runner = Runner(
        _chosen(loaded.cells, only),
        Path(output) if output is not None else Path("runs") / loaded.name,
        Path(results) if results is not None else _results(loaded),
        jobs=jobs,
        threads=threads,
        device=device,
        changed=changed,
        observe=observe,
        note=note,
        program=LOCAL_PROGRAM if cluster is None else remote_program(cluster, threads=threads, device=device),
    )
    if dry_run:
        runner.survey()
    else:
        runner.run()
    return list(runner.statuses.values())


def report_experiment(
    *grids: PathLike,
    output: PathLike | None = None,
    csv: PathLike | None = None,
    plot: PathLike | None = None,
    results: PathLike | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> str:
    """Put the results of grids beside the paper's, and return the report in Markdown.

        >>> print(pointree.report_experiment("experiments/tr_imst.toml", csv="report.csv"))

    It has the mean and standard deviation over seeds, the best of a column in bold, and every cell with its scores and
    the command that repeats it. Cells without a result are left open.

    Args:
        grids: TOML files.
        output: Write the Markdown to this file too.
        csv: Write all figures as CSV to this file.
        plot: Draw the figures of one grid to this file: .svg, .png or .pdf.
        results: The folder of the results of one grid; ``results/NAME`` beside it by default.
        on_notice: Called with a line about each old setting in the grids.
    """
    for name, value in (("plot", plot), ("results", results)):
        if value is not None and len(grids) != 1:
            raise UsageError(f"{name}: expected one grid, found {len(grids)}")
    if results is not None and not Path(results).is_dir():
        raise UsageError(f"results: no such folder: {results}")
    if plot is not None:
        from pointree.analysis.plots import check_plots

        check_plots([Path(plot)])
    loaded = [load_grid(Path(grid), need_files=False, on_notice=on_notice) for grid in grids]
    reports = [make_report(grid, Path(results) if results is not None else _results(grid)) for grid in loaded]
    markdown = "\n".join(each.to_markdown() for each in reports)
    if output is not None:
        with atomic_write(output) as stream:
            stream.write(markdown)
    if csv is not None:
        first, *others = [each.to_csv() for each in reports]
        with atomic_write(csv) as stream:
            stream.write(first + "".join(table.partition("\n")[2] for table in others))
    if plot is not None:
        from pointree.analysis.plots import save_figure
        from pointree.experiments.plot import report_plot

        save_figure(report_plot(reports[0]), Path(plot))
    return markdown


def _chosen(cells: Sequence[Cell], patterns: Sequence[str]) -> list[Cell]:
    """The cells that fit all patterns, and those that they need."""
    found = [cell for cell in cells if all(fnmatch(cell.name, pattern) for pattern in patterns)]
    if not found:
        raise UsageError(f"only {' and '.join(patterns)}: no cell fits; the first is {cells[0].name}")
    names = {name for cell in found for name in (cell.name, *cell.needs)}
    return [cell for cell in cells if cell.name in names]


def _results(grid: Grid) -> Path:
    return grid.path.parent / "results" / grid.name
