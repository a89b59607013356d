"""`pointree evaluate`: scores of a parsed file, or of a model, against gold trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointree.cli.console import new_table, print_json, show, track
from pointree.cli.options import (
    DeviceOption,
    GoldArgument,
    JsonOption,
    ModelOption,
    PrecisionOption,
    ThreadsOption,
    new_app,
)
from pointree.errors import UsageError
from pointree.evaluation import Evaluation, evaluate
from pointree.treebank.formats import read_treebank, require_sentences
from pointree.treebank.sentence import Sentence

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["app", "evaluate_file", "evaluate_model", "without_trees"]

EXAMPLES = """\b
Examples:
  pointree evaluate gold.conllu system.conllu
  pointree evaluate gold.conllu --model model --json
"""

app = new_app()


@app.command("evaluate", epilog=EXAMPLES)
def command(
    gold: GoldArgument,
    system: Annotated[
        Path | None, typer.Argument(metavar="SYSTEM", help="CoNLL-U file with the trees to score.")
    ] = None,
    model: ModelOption = None,
    json: JsonOption = False,
    precision: PrecisionOption = "fp32",
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Score a parsed file, or a model, against gold trees.

    With --model, the gold sentences are parsed without their trees: gold words and tags, new heads and
    labels. Scores are those of the official evaluator of Universal Dependencies: labels are compared without
    their subtypes, and CLAS counts content words only.
    """
    if (system is None) == (model is None):
        found = "neither" if system is None else "both"
        raise UsageError(f"evaluate: expected either a SYSTEM file or --model MODEL, found {found}")
    if system is not None:
        evaluation = evaluate_file(gold, system)
    elif model is not None:
        evaluation = evaluate_model(gold, model, precision=precision, threads=threads, device=device)
    if json:
        print_json(evaluation.to_dict())
    else:
        show(_summary(evaluation), _scores_table(evaluation), _labels_table(evaluation))


def evaluate_file(gold: Path, system: Path) -> Evaluation:
    """Score a file against another, reading both side by side."""
    return evaluate(track(_read(gold), "scoring"), _read(system), names=(str(gold), str(system)))


def evaluate_model(
    gold: Path, model: str, *, precision: str = "fp32", threads: int | None = None, device: str = "cpu"
) -> Evaluation:
    """Score what a model makes of the gold sentences once their trees are removed.

    Figures are to be the same everywhere, so arithmetic is exact unless another is asked for.
    """
    import pointree
    from pointree.running.threads import prepare_process

    prepare_process(threads)
    parser = pointree.load(model, precision=precision, device=device)
    sentences = list(_read(gold))
    parsed = track(parser.stream(without_trees(sentences)), "parsing", total=len(sentences))
    return evaluate(sentences, parsed, names=(str(gold), model))


def without_trees(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Copies of the sentences with neither heads nor labels, so that no parser can see the answer."""
    for sentence in sentences:
        bare = sentence.copy()
        for word in bare.words:
            word.head, word.deprel, word.deps = None, "_", "_"
        yield bare


def _read(path: Path) -> Iterator[Sentence]:
    return require_sentences(read_treebank(path), str(path))


def _summary(evaluation: Evaluation) -> str:
    return f"{evaluation.words:,} words in {evaluation.sentences:,} sentences"


def _scores_table(evaluation: Evaluation) -> Table:
    scores = evaluation.scores
    table = new_table("Scores", "", "UAS", "LAS", "CLAS")
    rows = {"all words": ("uas", "las"), "without punctuation": ("no_punct_uas", "no_punct_las")}
    for label, names in rows.items():
        # CLAS never counts punctuation, so it is the same in both rows.
        table.add_row(label, *(f"{scores[name].f1:.2f}" for name in (*names, "clas")))
    return table


def _labels_table(evaluation: Evaluation) -> Table:
    table = new_table("LAS by label", "label", "gold", "system", "correct", "precision", "recall", "F1")
    for label, score in evaluation.by_deprel.items():
        counts = (f"{count:,}" for count in (score.gold, score.system, score.correct))
        table.add_row(label, *counts, *(f"{x:.2f}" for x in (score.precision, score.recall, score.f1)))
    return table
