"""`pointree calibrate`: probabilities of a model that mean what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import new_table, progress_while, show
from pointree.cli.options import DeviceOption, ThreadsOption, new_app

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree calibrate model --dev dev.conllu
"""

app = new_app()


@app.command("calibrate", epilog=EXAMPLES)
def command(
    model: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a trained model, which is changed.")],
    dev: Annotated[Path, typer.Option("--dev", metavar="FILE", help="Treebank that the model was not trained on.")],
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Fit the probabilities that a model reports on a dev treebank.

    Training does this by itself; use it for models of earlier versions, or for text of another kind. Trees and tags
    stay as they are.
    """
    from pointree.running.threads import prepare_process
    from pointree.training.calibration import calibrate

    prepare_process(threads)
    with progress_while("parsing") as on_progress:
        fitted = calibrate(model, dev, device=device, on_progress=on_progress)
    table = new_table("Expected calibration error", "", "before", "after", "temperature", "ceiling")
    for quantity, found in fitted.items():
        scale = found.scale
        errors = (f"{error:.4f}" for error in (found.before, found.after))
        table.add_row(quantity.upper(), *errors, f"{scale.temperature:.3f}", f"{scale.ceiling:.3f}")
    show(table)
