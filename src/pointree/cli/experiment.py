"""`pointree experiment`: run a grid of training runs, and report on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pointree.cli.console import notice, print_json, show
from pointree.cli.options import DeviceOption, JsonOption, new_app

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree experiment run experiments/tr_imst.toml --jobs 2
  pointree experiment report experiments/tr_imst.toml --output report.md
  pointree experiment compare experiments/tr_imst_quick.toml --split test
"""

RUN_EXAMPLES = """\b
Examples:
  pointree experiment run experiments/tr_imst.toml
  pointree experiment run experiments/ud.toml --jobs 2 --threads-per-job 1
  pointree experiment run experiments/ud.toml --only "tr_imst.*" --only "*.seed1"
  pointree experiment run experiments/ud.toml --list
  pointree experiment run experiments/ud.toml --cluster 10.0.0.1:6379 --jobs 40
"""

REPORT_EXAMPLES = """\b
Examples:
  pointree experiment report experiments/tr_imst.toml
  pointree experiment report experiments/*.toml --output report.md --csv report.csv --plot report.svg
"""

COMPARE_EXAMPLES = """\b
Examples:
  pointree experiment compare experiments/tr_imst_quick.toml experiments/tr_imst_quick_fusions.toml
  pointree experiment compare experiments/*_quick.toml --split test --sample 10000 --plot panels.svg
"""

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
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="auto|ADDRESS", help="Run the cells on the nodes of a Ray cluster."),
    ] = None,
    list_cells: Annotated[bool, typer.Option("--list", help="Show where all cells stand, and run nothing.")] = False,
) -> None:
    """Train and score all cells of a grid.

    Each cell is a training run in a folder of its own. Run the command again after a kill: finished cells are skipped,
    the others resumed. A cell that fails does not stop the others; the command then leaves with code 1.
    """
    from pointree.cli.experiment_display import ExperimentDisplay, cells_table
    from pointree.experiments.experiment import run_experiment
    from pointree.experiments.runner import State

    with ExperimentDisplay() as display:
        statuses = run_experiment(
            grid,
            jobs=jobs,
            threads_per_job=threads,
            only=only or (),
            output=output,
            results=results,
            changed=changed,  # type: ignore[arg-type]  # the function checks it
            device=device,
            cluster=cluster,
            dry_run=list_cells,
            observe=display.update,
            note=display.note,
            on_notice=notice,
        )
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
    from pointree.experiments.experiment import report_experiment

    markdown = report_experiment(*grids, output=output, csv=csv, plot=plot, results=results, on_notice=notice)
    if output is None:
        typer.echo(markdown)


@app.command("compare", epilog=COMPARE_EXAMPLES)
def compare(
    grids: Annotated[list[Path], typer.Argument(metavar="GRID", help="Grids, TOML files; their treebanks are pooled.")],
    beside: Annotated[
        list[Path] | None,
        typer.Option("--beside", metavar="GRID", help="Grids of a second pool, the right column of the panels."),
    ] = None,
    base: Annotated[str, typer.Option("--base", metavar="SYSTEM", help="System to compare with.")] = "l2r-sequential",
    split: Annotated[str, typer.Option("--split", metavar="SPLIT", help="dev or test.")] = "dev",
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="las_subtypes (whole labels), las or uas.")
    ] = "las_subtypes",
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, help="Take about N words of each treebank.")
    ] = None,
    sample_seed: Annotated[int, typer.Option("--sample-seed", metavar="N", min=0, help="Seed of the sample.")] = 1,
    resamples: Annotated[int, typer.Option("--resamples", metavar="N", min=1, help="Draws of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draws.")] = 1,
    runs: Annotated[Path, typer.Option("--runs", metavar="DIR", help="Folder of the cells' parses.")] = Path("runs"),
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the paper's panels here: .svg, .png or .pdf.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write Markdown here, not to standard output.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare systems with one of them, over seeds, sentences and treebanks.

    The difference in LAS with a paired bootstrap over seeds and sentences, overall and by sentence length, word
    position and dependency length. Reads what each cell got right (results/NAME/outcomes beside the grid) and the
    treebanks; writes outcomes that are missing from the parses in --runs.
    """
    from pointree.experiments.compare import compare_experiment
    from pointree.files import atomic_write

    if plot is not None:
        from pointree.analysis.plots import check_plots

        check_plots([plot])
    how: dict[str, Any] = {"base": base, "split": split, "metric": metric, "sample": sample, "runs": runs}
    how |= {"sample_seed": sample_seed, "resamples": resamples, "seed": seed, "on_notice": notice}
    found = [compare_experiment(*pool, **how) for pool in (grids, beside) if pool]
    if plot is not None:
        from pointree.analysis.plots import save_figure
        from pointree.experiments.comparison import panels

        save_figure(panels([(", ".join(each.treebanks), each) for each in found]), plot)
    markdown = "\n".join(each.to_markdown() for each in found)
    if output is not None:
        with atomic_write(output) as stream:
            stream.write(markdown)
    if json:
        print_json(found[0].to_dict() if len(found) == 1 else [each.to_dict() for each in found])
    elif output is None:
        typer.echo(markdown)
