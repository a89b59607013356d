"""`pointree stats`: Table 1 and Table 6 of the paper for any treebank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointree.analysis.statistics import TreebankStatistics, treebank_statistics
from pointree.cli.console import new_table, print_json, show, track
from pointree.cli.options import JsonOption, new_app
from pointree.transitions import ORDERS

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree stats train.conllu dev.conllu
  pointree stats --json *.conllu > stats.json
"""

ERRATUM = (
    "Erratum: the paper's Table 6 says that `long` counts arcs longer than 4, but prints those over 2.\n"
    "Both are shown; `>2` has the printed figures. `%long` of Table 1 does count arcs longer than 4."
)

app = new_app()


@app.command(epilog=EXAMPLES)
def stats(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Treebanks, CoNLL-U or CoNLL-X.")],
    json: JsonOption = False,
) -> None:
    """Describe treebanks: how long arcs are, and which dependents each order has at hand.

    The first table has the share of arcs longer than 4, the share of those that are leftward, and the share
    of sentences that are not projective. The second has, per sentence, the dependents that are attached
    before their head has its turn. Arcs from ROOT do not count.
    """
    found = [(path, treebank_statistics(path)) for path in track(files, "reading", total=len(files))]
    if json:
        print_json([{"file": str(path), **statistics.to_dict()} for path, statistics in found])
    else:
        show(_arcs_table(found), _available_table(found), ERRATUM)


def _arcs_table(found: Sequence[tuple[Path, TreebankStatistics]]) -> Table:
    title = "Arcs (Table 1)"
    table = new_table(title, "file", "sentences", "words", "%long", "%left", "%non-projective")
    for path, each in found:
        shares = (each.long_pct, each.left_pct, each.nonprojective_pct)
        table.add_row(path.name, f"{each.sentences:,}", f"{each.words:,}", *(f"{share:.2f}" for share in shares))
    return table


def _available_table(found: Sequence[tuple[Path, TreebankStatistics]]) -> Table:
    orders = list(found[0][1].available)
    columns = [f"{ORDERS[name].abbreviation}\n{column}" for name in orders for column in ("all", ">2", ">4")]
    table = new_table("Dependents available per sentence (Table 6)", "file", *columns)
    for path, each in found:
        counts = [each.available[name] for name in orders]
        table.add_row(
            path.name,
            *(f"{x:.2f}" for count in counts for x in (count.all, count.longer_than_2, count.longer_than_4)),
        )
    return table
