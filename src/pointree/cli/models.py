"""`pointree models`: the models that have a name on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pointree.cli.console import new_table, print_json, show, warn
from pointree.cli.options import JsonOption, new_app
from pointree.models.registry import MODELS_VARIABLE, available_models
from pointree.models.summary import ModelSummary, summarise

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
    the order in which a name is looked for. LAS and licence are those of the model card.
    """
    found = summarise(available_models())
    if json:
        print_json([model.to_dict() for model in found])
    else:
        show(_table(found) if found else NOTHING)
    for model in found:
        if model.fault is not None:
            warn(f"model {model.name} is damaged: {model.fault}")


def _table(models: Sequence[ModelSummary]) -> Table:
    columns = ("name", "from", "order", "fusion", "raw text", "licence", "LAS", "MB")
    table = new_table("Models", *columns, text_columns=6)
    for model in models:
        table.add_row(
            model.name,
            _origin(model),
            model.order or "?",
            model.fusion or "?",
            "yes" if model.raw_text else "no",
            model.licence or "?",
            f"{model.las:.2f}" if model.las is not None else "?",
            f"{model.size / 1e6:.1f}",
        )
    return table


def _origin(model: ModelSummary) -> str:
    origin = {"folder": model.source, "bundled": "bundled", "installed": model.source}[model.origin]
    return f"{origin} (hidden by the one above)" if model.hidden else origin
