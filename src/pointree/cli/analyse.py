"""`pointree analyse`: where systems err, and whether one is better than another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointree.cli.console import fitting_tables, new_table, print_json, show, warn
from pointree.cli.options import GoldArgument, JsonOption, new_app
from pointree.files import atomic_write

if TYPE_CHECKING:
    from rich.table import Table

    from pointree.analysis.breakdown import Breakdown
    from pointree.analysis.compare import Analysis

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree analyse gold.conllu system.conllu
  pointree analyse gold.conllu L2R=l2r.conllu R2L=r2l.conllu --html report.html
  pointree analyse gold.conllu parsed/*.conllu --plot curves.svg --json > analysis.json
"""

app = new_app()


@app.command("analyse", epilog=EXAMPLES)
def command(
    gold: GoldArgument,
    systems: Annotated[
        list[str], typer.Argument(metavar="SYSTEM", help="Parsed files of the same words, or NAME=FILE.")
    ],
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts here.")] = None,
    plot: Annotated[
        list[Path] | None,
        typer.Option("--plot", metavar="FILE", help="Write the paper's curves here: .svg, .png or .pdf."),
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", metavar="N", min=1, help="Draws of the bootstrap.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draws.")] = 1,
    subtypes: Annotated[bool, typer.Option("--subtypes", help="Let LAS compare whole labels.")] = False,
    json: JsonOption = False,
) -> None:
    """Show where systems err, and whether one is better than another.

    Accuracy by sentence length, word position, dependency length, label and tag, and on arcs that cross others;
    for each two systems the difference in UAS and LAS with a p-value (paired bootstrap over sentences). All
    files must have the sentences and words of GOLD.
    """
    from pointree.analysis.run import analyse, name_systems

    if plot:
        from pointree.analysis.plots import check_formats, check_plots

        # The page is drawn without matplotlib: it is written even where the plots then fail for want of it.
        (check_plots if html is None else check_formats)(plot)
    named = name_systems(map(_split, systems))
    analysis = analyse(gold, named, resamples=resamples, seed=seed, subtypes=subtypes)
    for file, count in zip([gold, *named.values()], analysis.non_trees, strict=True):
        if count:
            warn(f"{file}: {count:,} of {analysis.sentences:,} sentences are no trees with one root")
    if html is not None:
        from pointree.analysis.html_report import html_report

        with atomic_write(html) as stream:
            stream.write(html_report(analysis))
    if json:
        print_json(analysis.to_dict())
    else:
        show(
            f"{analysis.words:,} words in {analysis.sentences:,} sentences",
            _scores(analysis),
            *([_differences(analysis)] if analysis.differences else []),
            *(table for breakdown in analysis.breakdowns for table in _breakdown(analysis, breakdown)),
        )
    if plot:
        from pointree.analysis.plots import curves, save_figure

        figure = curves(analysis)
        for path in plot:
            save_figure(figure, path)


def _split(argument: str) -> tuple[str | None, Path]:
    """Split NAME=FILE; a file whose own name has an equals sign is taken as it is."""
    name, equals, file = argument.partition("=")
    named = equals and name and file and not Path(argument).exists()
    return (name, Path(file)) if named else (None, Path(argument))


def _scores(analysis: Analysis) -> Table:
    table = new_table("Scores", "system", "UAS", "LAS")
    for name, score in zip(analysis.systems, analysis.scores, strict=True):
        table.add_row(name, *score.cells(of_arcs=False))
    return table


def _differences(analysis: Analysis) -> Table:
    title = f"Differences (paired bootstrap, {analysis.resamples:,} resamples)"
    table = new_table(title, "systems", "UAS", "95 %", "p", "LAS", "95 %", "p")
    for difference in analysis.differences:
        cells = [
            cell
            for each in (difference.uas, difference.las)
            for cell in (f"{each.difference:+.2f}", f"{each.low:+.2f} … {each.high:+.2f}", f"{each.p_value:.4f}")
        ]
        table.add_row(f"{difference.first} - {difference.second}", *cells)
    return table


def _breakdown(analysis: Analysis, breakdown: Breakdown) -> list[Table]:
    measures = ("UAS", "LAS", "P") if breakdown.of_arcs else ("UAS", "LAS")

    def table(systems: Sequence[int]) -> Table:
        columns = [f"{analysis.systems[place]}\n{measure}" for place in systems for measure in measures]
        found = new_table(f"By {breakdown.title.lower()}", breakdown.key.replace("_", " "), "words", *columns)
        for group in breakdown.groups:
            cells = [cell for place in systems for cell in group.accuracies[place].cells(breakdown.of_arcs)]
            found.add_row(group.name, f"{group.words:,}", *cells)
        return found

    return fitting_tables(table, range(len(analysis.systems)))
