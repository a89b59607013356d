"""`pointree package`: a trained folder in, a wheel to pip install out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import show
from pointree.cli.options import new_app
from pointree.models.package import package

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree package model --name legal --version 1.2.0
  pointree package model --name legal --bits 16 --prune-words 50000 --keep-words train.conllu
  pointree package model --name en-small --latin-pieces --bits 8 --precision int8
  pointree package old-model --engine onnx
  pip install pointree_model_legal-1.2.0-py3-none-any.whl && pointree parse --model legal "So ordered."
"""

app = new_app()


@app.command("package", epilog=EXAMPLES)
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a trained model.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the model for --model (default: as DIR).")
    ] = None,
    version: Annotated[str, typer.Option("--version", metavar="VERSION", help="Version of the wheel.")] = "1.0.0",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the wheel.")
    ] = Path(),
    bits: Annotated[
        int | None, typer.Option("--bits", metavar="N", help="Store weights in 16 bits, or matrices in 8.")
    ] = None,
    word_bits: Annotated[
        int | None, typer.Option("--word-bits", metavar="4", help="With --bits 8: store the word table in 4 bits.")
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(
            "--prune-words",
            metavar="N",
            min=0,
            help="Keep the first N words of the vocabulary (those of the training data, then those of pretrained "
            "vectors, frequent ones first), words seen once in training, and those of --keep-words.",
        ),
    ] = None,
    keep: Annotated[
        list[Path] | None,
        typer.Option(
            "--keep-words",
            metavar="TREEBANK",
            help="With --prune-words: keep all words of this treebank, such as the training data; may be repeated.",
        ),
    ] = None,
    latin: Annotated[
        bool,
        typer.Option(
            "--latin-pieces", help="Keep only the word pieces of Latin and Greek script in a fine-tuned BERT."
        ),
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="onnx", help="Add ONNX graphs to DIR, so that it parses without torch."),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", metavar="NAME", help="Default arithmetic of the model: fp32 or int8 (8 bits)."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="NAME", help="Keep this order alone, of a model with several."),
    ] = None,
) -> None:
    """Make a wheel of a trained model.

    After `pip install` of the wheel, --model takes the name. The wheel has the model and its card, not the checkpoint
    and metrics of the training. The same folder and options make the same bytes.
    """
    chosen = folder.resolve().name if name is None else name
    wheel = package(
        folder,
        output,
        name=chosen,
        version=version,
        bits=bits,
        word_bits=word_bits,
        prune_words=words,
        keep_words=keep or (),
        latin_pieces=latin,
        engine=engine,
        precision=precision,
        order=order,
    )
    show(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB; once it is installed with pip, use --model {chosen}")
