"""Imports only go one way: each layer may use itself and the layers below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pointree

SRC = Path(pointree.__file__).parent

BASE = ("version", "files", "locks", "options", "config", "views")

LAYERS: dict[str, tuple[tuple[str, ...], str]] = {
    "version": ((), "the version of pointree"),
    "errors": ((), "every error that is raised on purpose"),
    "files": (("errors",), "opening, unpacking and replacing files"),
    "locks": (("files",), "locks on files and folders between processes"),
    "config": (("errors",), "settings of training and of the network"),
    "options": (("config",), "options of parsing, each spelt once"),
    "views": ((), "how sentences and traces show themselves: a table that rendering fills"),
    "treebank": (BASE, "sentences; CoNLL-U, CoNLL-X and plain words, in and out"),
    "text": (("treebank",), "raw text to sentences"),
    "vocabulary": (("text",), "symbols to numbers; word vectors"),
    "transitions": (("treebank",), "the paper's theory: orders, legality, oracle"),
    "rendering": (("treebank",), "output formats: tree, table, SVG, TikZ, JSON"),
    "batches": (("vocabulary", "transitions"), "sentences as numbers, and where they lie in a batch"),
    "search": (("batches",), "from scores to trees: greedy, beam, labels"),
    "pretrained": (("batches",), "BERT and its kin"),
    "nn": (("pretrained",), "the network"),
    "graphs": (("pretrained",), "the network as ONNX graphs"),
    "models": (("graphs",), "a model on disk: file names, folder, card, registry, wheel"),
    "running": (("treebank",), "threads, worker processes, batches"),
    "engines": (("search", "nn", "models", "running"), "what computes a parse: torch, and one without it"),
    "parser": (("engines",), "load a model and parse"),
    "ensemble": (("parser",), "several models that parse as one"),
    "evaluation": (("ensemble",), "scores of a file or a model against gold"),
    "analysis": (("evaluation", "transitions"), "where systems err, and whether one is better"),
    "experiments": (("models", "analysis"), "grids of training runs, and their reports"),
    "training": (("parser", "evaluation"), "from a treebank to a model"),
    "release": (("training", "experiments"), "a recipe of models, from treebanks to installable packages"),
    "serving": (("ensemble", "rendering"), "parsing over HTTP"),
    "pipeline": (("ensemble", "rendering"), "files in, files out"),
    "integrations": (("parser", "rendering"), "pointree inside other libraries, such as spaCy"),
    "bulk": (("pipeline",), "files of any size on a Ray cluster, to a folder of shards"),
    "bench": (("training",), "how fast a machine trains and parses"),
    "cli": (("bulk", "serving", "bench", "release"), "the commands, each a shell over a function"),
}
"""For each layer (a file or folder of the package): the layers that it stands on, and what it is.

A layer may import itself, the layers that it stands on, and all that these stand on.
"""

TOP_FILES = {"__init__", "__main__", "errors", "files", "locks", "options", "parser", "version", "views"}
"""The only files that stand outside of a folder."""


def below(layer: str) -> set[str]:
    """All layers that a layer may import, besides itself."""
    found: set[str] = set()
    for name in LAYERS[layer][0]:
        found |= {name} | below(name)
    return found


MAY_IMPORT = {layer: below(layer) for layer in LAYERS} | {
    # The package itself only hands out names of others, lazily.
    "__init__": set(LAYERS) - {"cli", "integrations"},
    "__main__": {"cli"},
}

CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
MARKS = "<!-- layers: written by `python tests/test_layers.py` -->\n", "<!-- end of layers -->\n"


def diagram() -> str:
    """The table of layers as CONTRIBUTING.md shows it."""
    rows = [("layer", "stands on", "what it is"), ("", "", "")]
    for layer, (stands_on, about) in LAYERS.items():
        rows.append((layer, ", ".join(stands_on), about))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    rows[1] = ("-" * widths[0], "-" * widths[1], "-" * max(len(row[2]) for row in rows))
    lines = (f"{row[0]:{widths[0]}}   {row[1]:{widths[1]}}   {row[2]}".rstrip() for row in rows)
    return "```text\n" + "\n".join(lines) + "\n```\n"


def documented() -> tuple[str, str, str]:
    """CONTRIBUTING.md before the table of layers, the table, and what follows."""
    before, _, rest = CONTRIBUTING.read_text(encoding="utf-8").partition(MARKS[0])
    table, _, after = rest.partition(MARKS[1])
    return before, table, after


WITHOUT_TORCH = (
    "__init__",
    "errors",
    "files",
    "locks",
    "options",
    "config",
    "version",
    "views",
    "treebank",
    "text",
    "vocabulary",
    "transitions",
    "evaluation",
    "analysis",
    "experiments",
    "rendering",
    "batches",
    "search",
    "running/batching",
    "running/workers",
    "models",
    "pretrained/__init__",
    "pretrained/bert_folder",
    "pretrained/bert_settings",
    "pretrained/identity",
    "pretrained/subwords",
    "pretrained/windows",
    "pretrained/word_pieces",
    "engines/__init__",
    "engines/engine",
    "engines/loading",
    "engines/onnx_engine",
    "engines/onnx_pretrained",
    "engines/onnx_session",
    "engines/onnx_weights",
    "graphs",
    "parser",
    "ensemble",
    "pipeline",
    "serving",
)
"""Layers and modules that parsing needs whatever the engine, and that must not import torch."""

NAME_TORCH = {"models/compact"}
"""Modules of these layers that work on a network of torch."""

FILES = sorted(path.relative_to(SRC) for path in SRC.rglob("*.py"))


def layer_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imported_modules(tree: ast.AST, package: tuple[str, ...]) -> list[str]:
    """Every module that the code names in an import, also inside functions and under TYPE_CHECKING."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            # `from pointree import nn` imports a layer by its name in the list.
            found += [f"{module}.{alias.name}" for alias in node.names] if module == "pointree" else [module]
    return found


def imports_of(path: Path) -> list[str]:
    tree = ast.parse((SRC / path).read_text(encoding="utf-8"))
    return imported_modules(tree, ("pointree", *path.parts[:-1]))


@pytest.mark.parametrize("path", FILES, ids=str)
def test_arrows_point_down(path: Path) -> None:
    layer = layer_of(path)
    assert layer in MAY_IMPORT, f"{path} belongs to no layer: add {layer} to LAYERS"
    used = {name.split(".")[1] for name in imports_of(path) if name.startswith("pointree.")}
    public_names = set(pointree.__all__) | {"pointree"}
    forbidden = used - MAY_IMPORT[layer] - {layer} - (public_names if layer == "cli" else set())
    assert not forbidden, f"{path} imports {sorted(forbidden)}, which {layer} may not"


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in FILES
        if {layer_of(path), path.with_suffix("").as_posix()} & set(WITHOUT_TORCH)
        and path.with_suffix("").as_posix() not in NAME_TORCH
    ],
    ids=str,
)
def test_layers_without_torch_never_name_it(path: Path) -> None:
    assert not [name for name in imports_of(path) if name.split(".")[0] == "torch" or name == "safetensors.torch"]


def test_a_layer_only_stands_on_layers_above_it_in_the_table() -> None:
    seen: set[str] = set()
    for layer, (stands_on, _about) in LAYERS.items():
        assert set(stands_on) <= seen, f"{layer}: expected layers that come before it, found {set(stands_on) - seen}"
        seen.add(layer)


def test_contributing_shows_the_table() -> None:
    assert documented()[1] == diagram(), "CONTRIBUTING.md is out of date: run `python tests/test_layers.py`"


def test_no_file_is_homeless() -> None:
    assert {path.stem for path in SRC.glob("*.py")} <= TOP_FILES


def test_the_check_sees_every_way_to_import() -> None:
    source = """
from typing import TYPE_CHECKING
import pointree.nn.model as m
from pointree import search
from ..parser import load
if TYPE_CHECKING:
    from pointree.training import loop
def late():
    from . import siblings
"""
    names = imported_modules(ast.parse(source), ("pointree", "treebank"))
    assert {name.split(".")[1] for name in names if name.startswith("pointree.")} == {
        "nn",
        "search",
        "parser",
        "training",
        "treebank",
    }


if __name__ == "__main__":
    before, _table, after = documented()
    CONTRIBUTING.write_text(before + MARKS[0] + diagram() + MARKS[1] + after, encoding="utf-8")
