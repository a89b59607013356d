"""`pointree release`: a recipe in, installable models with their scores out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pointree.cli.console import notice, show, warn
from pointree.cli.options import DeviceOption, ThreadsOption, new_app
from pointree.errors import UsageError

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree release sv --data ../shared/data
  pointree release sv zh --data ../shared/data --baseline
  pointree release --data ../shared/data --only score --only package
"""

DEFAULT = Path("experiments/languages.toml")

app = new_app()


@app.command("release", epilog=EXAMPLES)
def command(
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE", help="Languages of the recipe, such as sv (default: all).")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Folder of the treebanks (required).")
    ] = None,
    recipe: Annotated[Path, typer.Option("--recipe", metavar="FILE", help="The recipe, a TOML file.")] = DEFAULT,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the packages, one folder a language.")
    ] = Path("models"),
    work: Annotated[Path, typer.Option("--work", metavar="DIR", help="Folder of the training runs.")] = Path(
        "runs/languages"
    ),
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="DIR", help="Folder of results (default: results/NAME beside the recipe)."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="STEP", help="Do this step: train, score, baseline or package; repeatable."),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Train and score UDPipe 1 on the same files, too.")
    ] = False,
    threads: ThreadsOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Train, score, shrink and package the models of a recipe.

    Each model becomes a folder that pip installs, with a card that has its scores. Run the command again after a stop:
    finished steps are skipped, and a training is resumed.
    """
    if data is None:
        raise UsageError("Missing option '--data'; see pointree release --help")

    from pointree.cli.training_display import TrainingDisplay
    from pointree.release.run import release_models

    made = release_models(
        recipe,
        codes or (),
        data=data,
        output=output,
        work=work,
        results=results,
        only=only or (),
        baseline=baseline,
        device=device,
        threads=threads,
        observing=TrainingDisplay,
        on_notice=notice,
        on_warning=warn,
    )
    for model in made:
        if model.result is not None:
            las = model.result["test"]["raw"]["las"]
            show(f"{model.folder}: LAS {las:.2f} from raw text on test, {model.result['size'] / 1e6:.1f} MB")
