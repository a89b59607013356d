"""`pointree evaluate`: scores of a parsed file, or of a model, against gold trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointree.cli.console import new_table, print_json, progress_while, show
from pointree.cli.options import (
    DeviceOption,
    EngineOption,
    GoldArgument,
    JsonOption,
    ThreadsOption,
    new_app,
    with_parse_options,
)
from pointree.evaluation import Evaluation, Score, evaluate
from pointree.options import ParseOptions

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree evaluate gold.conllu system.conllu
  pointree evaluate gold.conllu --model en --retag --json
  pointree evaluate gold.conllu --model en --from-text
  pointree evaluate gold.conllu --model en --retag --calibration
"""

TITLES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "las_subtypes": "LAS with subtypes",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "no_punct_uas": "UAS without punctuation",
    "no_punct_las": "LAS without punctuation",
}
"""What the table calls the scores: those of the official evaluator by its names."""

app = new_app()


@app.command("evaluate", epilog=EXAMPLES)
@with_parse_options(without=("n_best", "probabilities", "min_confidence"))
def command(
    gold: GoldArgument,
    system: Annotated[
        Path | None, typer.Argument(metavar="SYSTEM", help="CoNLL-U file with the trees to score.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Name, folder or Hugging Face Hub id of a model; several parse together.",
        ),
    ] = None,
    from_text: Annotated[
        bool, typer.Option("--from-text", help="Let the model read the raw text of GOLD (its # text comments).")
    ] = False,
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Measure how far reported probabilities are from the truth, too.")
    ] = False,
    json: JsonOption = False,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
    engine: EngineOption = "auto",
    *,
    options: ParseOptions,
) -> None:
    """Score a parsed file, or a model, against gold trees.

    With --model, the model parses the gold words with their gold tags; it never sees the trees. Add --retag to
    score its own tags, or --from-text to score its sentences and words as well.

    Scores are those of the official evaluator of Universal Dependencies: LAS compares labels without their
    subtypes, and CLAS, MLAS and BLEX count content words only.
    """
    with progress_while("parsing" if system is None else "scoring") as on_progress:
        evaluation = evaluate(
            gold,
            system,
            options,
            model=model or None,
            from_text=from_text,
            calibration=calibration,
            device=device,
            engine=engine,
            threads=threads,
            on_progress=on_progress,
        )
    if json:
        print_json(evaluation.to_dict())
    else:
        tables = [_scores_table(evaluation), _labels_table(evaluation)]
        if evaluation.calibration:
            tables.insert(1, _calibration_table(evaluation))
        show(_summary(evaluation), *tables)


def _summary(evaluation: Evaluation) -> str:
    return f"{evaluation.words:,} words in {evaluation.sentences:,} sentences"


def _scores_table(evaluation: Evaluation) -> Table:
    """Show every score; a column that only repeats F1 is left out."""
    columns = {"F1": [score.f1 for score in evaluation.scores.values()]}
    others = {
        "precision": [score.precision for score in evaluation.scores.values()],
        "recall": [score.recall for score in evaluation.scores.values()],
        "aligned accuracy": [_or_f1(score) for score in evaluation.scores.values()],
    }
    columns |= {name: values for name, values in others.items() if values != columns["F1"]}
    table = new_table("Scores", "", *columns)
    for place, (name, score) in enumerate(evaluation.scores.items()):
        cells = [f"{values[place]:.2f}" for values in columns.values()]
        if "aligned accuracy" in columns and score.aligned is None:
            cells[-1] = ""
        table.add_row(TITLES[name], *cells)
    return table


def _or_f1(score: Score) -> float:
    return score.f1 if score.aligned_accuracy is None else score.aligned_accuracy


def _calibration_table(evaluation: Evaluation) -> Table:
    table = new_table("Expected calibration error", "", "error")
    for quantity, error in evaluation.calibration.items():
        table.add_row(quantity.upper(), f"{error:.4f}")
    return table


def _labels_table(evaluation: Evaluation) -> Table:
    table = new_table("LAS by label", "label", "gold", "system", "correct", "precision", "recall", "F1")
    for label, score in evaluation.by_deprel.items():
        counts = (f"{count:,}" for count in (score.gold, score.system, score.correct))
        table.add_row(label, *counts, *(f"{x:.2f}" for x in (score.precision, score.recall, score.f1)))
    return table
