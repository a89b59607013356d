"""`pointree models`: the models that have a name on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pointree.cli.console import new_table, print_json, show, warn
from pointree.cli.options import JsonOption, new_app
from pointree.models.catalogue import CatalogueModel, install_command, not_installed
from pointree.models.registry import MODELS_VARIABLE
from pointree.models.summary import ModelSummary, list_models

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["app"]

EXAMPLES = """\b
Examples:
  pointree models
  pointree models --json
  POINTREE_MODELS=/srv/models pointree models
"""

NOTHING = (
    f"No models found. Train one with `pointree train`, pip install the wheel of one, or name a folder of models in "
    f"${MODELS_VARIABLE}; --model takes the folder of a model or a Hugging Face Hub id, too."
)

app = new_app()


@app.command("models", epilog=EXAMPLES)
def command(json: JsonOption = False) -> None:
    """List the models that --model knows by name.

    These are the subfolders of the folders in $POINTREE_MODELS, the bundled models, and those installed as wheels, in
    the order in which a name is looked for. Licence, LAS and what it was measured on are those of the model
    card. Models of the repository that are not installed follow, with the command that installs one. --json has more of
    the installed ones: folder, order, fusion and what is wrong with one that cannot be used.
    """
    found = list_models()
    if json:
        print_json([model.to_dict() for model in found])
    else:
        show(_table(found) if found else NOTHING)
        if others := not_installed({model.name for model in found}):
            show(_others_table(others))
            show(f"To install one, in a copy of the repository:\n  {install_command(others[0].code)}")
    for model in found:
        if model.fault is not None:
            warn(f"model {model.name} cannot be used: {model.fault}")


def _table(models: Sequence[ModelSummary]) -> Table:
    table = new_table("Models", "name", "from", "raw text", "licence", "MB", "LAS", "measured on", text_columns=4)
    for column in (table.columns[1], table.columns[-1]):  # the two that can be long
        column.no_wrap, column.overflow, column.justify = False, "fold", "left"
    for model in models:
        table.add_row(
            model.name,
            _origin(model),
            "yes" if model.raw_text else "no",
            model.licence or "?",
            f"{model.size / 1e6:.1f}",
            f"{model.las:.2f}" if model.las is not None else "?",
            model.las_on or "?",
        )
    return table


def _others_table(models: Sequence[CatalogueModel]) -> Table:
    table = new_table("Not installed", "name", "language", "treebank", "MB", "LAS from raw text", text_columns=3)
    for model in models:
        table.add_row(model.code, model.language, model.treebank, f"{model.size / 1e6:.1f}", f"{model.las:.2f}")
    return table


def _origin(model: ModelSummary) -> str:
    origin = {"folder": model.source, "bundled": "bundled", "installed": model.source}[model.origin]
    return f"{origin} (hidden by the one above)" if model.hidden else origin
