"""`pointree push`: a trained folder to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import show
from pointree.cli.options import new_app
from pointree.models.push import push, read_scores

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree push model org/name --licence cc-by-sa-4.0
  pointree evaluate test.conllu --model model --from-text --json > scores.json
  pointree push model org/name --scores scores.json --scored-on "English-EWT 2.16 test, from raw text"
  pointree parse --model org/name "It rains."
"""

app = new_app()


@app.command("push", epilog=EXAMPLES)
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a trained model.")],
    repository: Annotated[str, typer.Argument(metavar="ORG/NAME", help="Repository, optionally with @BRANCH.")],
    licence: Annotated[
        str | None, typer.Option("--licence", "--license", metavar="ID", help="Licence (default: as in the card).")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help="Language (default: of the treebank in the card).")
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option("--data", metavar="ID", help="Training data by Hub id; may be repeated.")
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option("--scores", metavar="FILE", help="Output of evaluate --json (default: scores in the card)."),
    ] = None,
    scored_on: Annotated[
        str | None, typer.Option("--scored-on", metavar="TEXT", help="With --scores: what they were measured on.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    message: Annotated[str | None, typer.Option("--message", metavar="TEXT", help="Message of the commit.")] = None,
) -> None:
    """Publish a trained model on the Hugging Face Hub.

    Afterwards, --model takes ORG/NAME. The repository gets the model and a card with its scores (model-index), licence
    and data, not the checkpoint and metrics of the training. Log in first with `hf auth login`, or set HF_TOKEN.
    """
    address = push(
        folder,
        repository,
        licence=licence,
        language=language,
        data=data or (),
        scores=None if scores is None else read_scores(scores),
        scored_on=scored_on,
        private=private,
        message=message,
    )
    show(f"{address}: published; use --model {repository}")
