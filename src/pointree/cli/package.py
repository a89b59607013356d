"""`pointree package`: a trained folder in, a wheel to pip install out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import show
from pointree.cli.options import new_app
from pointree.errors import UsageError
from pointree.models.registry import available_models
from pointree.models.wheel import check_name, check_version, write_wheel
from pointree.treebank.formats import read_treebank

__all__ = ["app", "package_model"]

EXAMPLES = """\b
Examples:
  pointree package model --name legal --version 1.2.0
  pointree package model --name legal --bits 16 --prune-words 50000 --keep-words train.conllu
  pip install pointree_model_legal-1.2.0-py3-none-any.whl && pointree parse --model legal "So ordered."
"""

app = new_app()


@app.command("package", epilog=EXAMPLES)
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a trained model.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What --model shall call it (default: as DIR).")
    ] = None,
    version: Annotated[str, typer.Option("--version", metavar="VERSION", help="Version of the wheel.")] = "1.0.0",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the wheel.")
    ] = Path(),
    bits: Annotated[
        int | None, typer.Option("--bits", metavar="N", help="Store weights in 16 bits, or matrices in 8.")
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
) -> None:
    """Make a wheel of a trained model.

    After `pip install` of the wheel, --model takes the name. The wheel has the model and its card, not the checkpoint
    and metrics of the training. The same folder and options make the same bytes.
    """
    if keep and words is None:
        raise UsageError("--keep-words: expected --prune-words N with it, found none")
    chosen = name or folder.resolve().name
    wheel = package_model(folder, output, name=chosen, version=version, words=words, keep=keep or (), bits=bits)
    show(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB; once it is installed with pip, use --model {chosen}")


def package_model(
    folder: Path,
    output: Path,
    *,
    name: str,
    version: str = "1.0.0",
    words: int | None = None,
    keep: Sequence[Path] = (),
    bits: int | None = None,
) -> Path:
    """Check a model folder, shrink it if asked, and write its wheel."""
    check_name(name)
    check_version(version)
    if bits not in (None, 8, 16):
        raise UsageError(f"--bits must be 8 or 16, found {bits}")
    if any(model.name == name and model.origin == "bundled" for model in available_models()):
        raise UsageError(f"--name must not be that of a bundled model, which would be found first; found {name}")

    from pointree.models.folder import load_folder
    from pointree.models.layout import TEXT_MODEL
    from pointree.models.shrink import shrink_model
    from pointree.text.udpipe import TextModel

    if (folder / TEXT_MODEL).exists():
        TextModel.load(folder / TEXT_MODEL)
    if words is None and bits is None:
        load_folder(folder)
        return write_wheel(folder, output, name=name, version=version)
    with tempfile.TemporaryDirectory() as temporary:
        shrunk = Path(temporary) / "model"
        shrink_model(folder, shrunk, words=words, keep=_forms(keep), bits=bits)  # type: ignore[arg-type]  # checked above
        return write_wheel(shrunk, output, name=name, version=version)


def _forms(treebanks: Sequence[Path]) -> Iterator[str]:
    for path in treebanks:
        for sentence in read_treebank(path):
            yield from sentence.forms
