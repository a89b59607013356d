"""`pointree experiment`: run a grid of training runs, and report on it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from pointree.cli.console import notice, show
from pointree.cli.options import DeviceOption, new_app
from pointree.errors import UsageError
from pointree.files import atomic_write

if TYPE_CHECKING:
    from pointree.experiments.cell import Cell
    from pointree.experiments.grid import Grid

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree experiment run experiments/tr_imst.toml --jobs 2
  pointree experiment report experiments/tr_imst.toml --output report.md
"""

RUN_EXAMPLES = """\b
Examples:
  pointree experiment run experiments/tr_imst.toml
  pointree experiment run experiments/ud.toml --jobs 2 --threads-per-job 1
  pointree experiment run experiments/ud.toml --only "tr_imst.*" --only "*.seed1"
  pointree experiment run experiments/ud.toml --list
"""

REPORT_EXAMPLES = """\b
Examples:
  pointree experiment report experiments/tr_imst.toml
  pointree experiment report experiments/*.toml --output report.md --csv report.csv --plot report.svg
"""

_CHANGED = ("refuse", "rerun", "keep")

GridArgument = Annotated[Path, typer.Argument(metavar="GRID", help="The grid, a TOML file.")]
ResultsOption = Annotated[
    Path | None,
    typer.Option("--results", metavar="DIR", help="Folder of results (default: results/NAME beside the grid)."),
]

app = new_app()


@app.callback(epilog=EXAMPLES)
def experiment() -> None:
    """Run a grid of training runs, and report on it."""


@app.command("run", epilog=RUN_EXAMPLES)
def run(
    grid: GridArgument,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Cells that run at a time.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option("--threads-per-job", metavar="N", min=1, help="CPU threads of each (default: cores / jobs)."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PATTERN", help="Cells to run, such as 'tr_imst.*'; all patterns must fit."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder of models (default: runs/NAME).")
    ] = None,
    results: ResultsOption = None,
    changed: Annotated[
        str,
        typer.Option("--changed", metavar="CHOICE", help="Cells made by another grid: refuse, rerun or keep them."),
    ] = "refuse",
    device: DeviceOption = "cpu",
    list_cells: Annotated[bool, typer.Option("--list", help="Show where all cells stand, and run nothing.")] = False,
) -> None:
    """Train and score all cells of a grid.

    Each cell is a training run in a folder of its own. Run the command again after a kill: finished cells are skipped,
    the others resumed. A cell that fails does not stop the others; the command then leaves with code 1.
    """
    from pointree.cli.experiment_display import ExperimentDisplay, cells_table
    from pointree.experiments.grid import load_grid
    from pointree.experiments.runner import Runner, State

    if changed not in _CHANGED:
        raise UsageError(f"--changed must be one of {', '.join(_CHANGED)}, found {changed}")
    loaded = load_grid(grid, on_notice=notice)
    with ExperimentDisplay() as display:
        runner = Runner(
            _chosen(loaded.cells, only or ()),
            output or Path("runs") / loaded.name,
            results or _results(loaded),
            jobs=jobs,
            threads=threads or max(1, (os.cpu_count() or 1) // jobs),
            device=device,
            changed=changed,  # type: ignore[arg-type]  # checked above
            observe=display.update,
            note=display.note,
        )
        if list_cells:
            runner.survey()
        else:
            signal.signal(signal.SIGTERM, _leave)
            runner.run()
    statuses = list(runner.statuses.values())
    show(cells_table(statuses))
    if any(status.state is State.FAILED for status in statuses):
        raise typer.Exit(1)


@app.command("report", epilog=REPORT_EXAMPLES)
def report(
    grids: Annotated[list[Path], typer.Argument(metavar="GRID", help="Grids, TOML files.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write Markdown here, not to standard output.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all figures as CSV here.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw them here (one grid): .svg, .png or .pdf.")
    ] = None,
    results: ResultsOption = None,
) -> None:
    """Write the paper's table with our figures.

    Mean and standard deviation over seeds, the best of a column in bold, the paper's figures beside ours; then every
    cell with its scores and the command that repeats it.
    """
    from pointree.experiments.grid import load_grid
    from pointree.experiments.report import make_report

    for option, value in (("--plot", plot), ("--results", results)):
        if value is not None and len(grids) > 1:
            raise UsageError(f"{option}: expected one grid, found {len(grids)}")
    if results is not None and not results.is_dir():
        raise UsageError(f"--results: no such folder: {results}")
    if plot is not None:
        from pointree.analysis.plots import check_plots

        check_plots([plot])
    loaded = [load_grid(grid, need_files=False, on_notice=notice) for grid in grids]
    reports = [make_report(grid, results or _results(grid)) for grid in loaded]
    markdown = "\n".join(each.to_markdown() for each in reports)
    if output is None:
        typer.echo(markdown)
    else:
        with atomic_write(output) as stream:
            stream.write(markdown)
    if csv is not None:
        tables = [each.to_csv() for each in reports]
        with atomic_write(csv) as stream:
            stream.write(tables[0] + "".join(table.partition("\n")[2] for table in tables[1:]))
    if plot is not None:
        from pointree.analysis.plots import save_figure
        from pointree.experiments.plot import report_plot

        save_figure(report_plot(reports[0]), plot)


def _chosen(cells: Sequence[Cell], patterns: Sequence[str]) -> list[Cell]:
    """The cells that fit all patterns, and those that they need."""
    found = [cell for cell in cells if all(fnmatch(cell.name, pattern) for pattern in patterns)]
    if not found:
        raise UsageError(f"--only {' --only '.join(patterns)}: no cell fits; the first is {cells[0].name}")
    names = {name for cell in found for name in (cell.name, *cell.needs)}
    return [cell for cell in cells if cell.name in names]


def _results(grid: Grid) -> Path:
    return grid.path.parent / "results" / grid.name


def _leave(_number: int, _frame: Any) -> NoReturn:
    """Leave as after an interrupt, so that the processes of all cells are ended."""
    raise KeyboardInterrupt
