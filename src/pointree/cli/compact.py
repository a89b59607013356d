"""`pointree compact`: a smaller pretrained model, to train a small parser with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import show
from pointree.cli.options import new_app

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree compact sentence-transformers/all-MiniLM-L6-v2 minilm2 --layers 2
  pointree train --train train.conllu --dev dev.conllu -o model --set embeddings.pretrained.model=minilm2 \\
    --set 'embeddings.pretrained.layers=[2]' --set embeddings.pretrained.fine_tune=true \\
    --set embeddings.pretrained.fine_tune_table=false
  pointree package model --bits 8 --latin-pieces
"""

app = new_app()


@app.command("compact", epilog=EXAMPLES)
def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Folder or Hugging Face Hub id of a pretrained model, such as BERT.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the smaller model to.")],
    layers: Annotated[int, typer.Option("--layers", metavar="N", help="Keep the first N layers.")],
) -> None:
    """Make a pretrained model smaller, before a parser is trained with it.

    Use it for a parser of a few megabytes: fewer layers are faster, and the table of sub-words is rounded to 4 bits.
    Train the parser with fine-tuning of the layers but not of the table, and then package it.
    """
    from pointree.models.compact import compact_pretrained

    compact_pretrained(source, folder, layers=layers)
    size = sum(path.stat().st_size for path in folder.iterdir())
    show(f"{folder}: {layers} layers, {size / 1e6:.1f} MB; train with --set embeddings.pretrained.model={folder}")
