"""Option and argument types that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "DeviceOption",
    "GoldArgument",
    "JsonOption",
    "ModelOption",
    "PrecisionOption",
    "ThreadsOption",
    "new_app",
]

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to standard output instead of tables.")]
DeviceOption = Annotated[str, typer.Option("--device", metavar="NAME", help="Where to compute: cpu, cuda, …")]
PrecisionOption = Annotated[str, typer.Option("--precision", metavar="NAME", help="Arithmetic: auto, fp32 or bf16.")]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="CPU threads (default: all cores).")
]
ModelOption = Annotated[
    str | None, typer.Option("--model", "-m", metavar="MODEL", help="Name, folder or Hugging Face Hub id of a model.")
]
GoldArgument = Annotated[Path, typer.Argument(metavar="GOLD", help="CoNLL-U file with the right trees.")]


def new_app() -> typer.Typer:
    """An application for one command, with plain help (rich would double the time to show it)."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)
