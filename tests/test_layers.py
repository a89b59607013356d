"""Imports only go one way: each layer may use itself and the layers below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pointree

SRC = Path(pointree.__file__).parent

BASE = {"errors", "files", "config", "options", "version"}
CORE = BASE | {"treebank", "text", "vocabulary", "transitions"}
ALL_BELOW_PARSER = CORE | {"nn", "pretrained", "search", "models", "running"}
APPLICATIONS = {"training", "evaluation", "analysis", "ensemble", "experiments", "rendering", "serving"}

MAY_IMPORT: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "files": {"errors"},
    "config": {"errors"},
    "options": {"errors"},
    "treebank": BASE,
    "text": BASE | {"treebank"},
    "vocabulary": BASE | {"treebank"},
    "transitions": BASE | {"treebank"},
    "pretrained": CORE,
    "nn": CORE | {"pretrained"},
    "search": CORE | {"nn"},
    "running": BASE | {"treebank"},
    "models": CORE | {"nn", "pretrained"},
    "parser": ALL_BELOW_PARSER,
    "evaluation": CORE | {"running", "parser"},
    "analysis": CORE | {"evaluation"},
    "rendering": CORE,
    "ensemble": ALL_BELOW_PARSER | {"parser"},
    "bench": ALL_BELOW_PARSER | {"parser", "training"},
    "experiments": BASE | {"transitions", "analysis", "models"},
    "training": ALL_BELOW_PARSER | {"parser", "evaluation"},
    "pipeline": ALL_BELOW_PARSER | {"parser", "ensemble", "rendering"},
    "serving": ALL_BELOW_PARSER | {"parser", "rendering"},
    "cli": ALL_BELOW_PARSER | APPLICATIONS | {"parser", "bench", "pipeline"},
    # The package itself only hands out names of others, lazily.
    "__init__": BASE | {"analysis", "ensemble", "evaluation", "parser", "pipeline", "training", "treebank"},
    "__main__": {"cli"},
}
"""For each layer (a file or folder of the package), the layers that it may import besides itself."""

WITHOUT_TORCH = (
    "errors",
    "files",
    "config",
    "options",
    "version",
    "treebank",
    "text",
    "vocabulary",
    "transitions",
    "evaluation",
    "analysis",
    "experiments",
    "rendering",
    "models/__init__",
    "models/layout",
    "models/registry",
    "models/summary",
    "models/wheel",
)

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
    assert layer in MAY_IMPORT, f"{path} belongs to no layer: add {layer} to MAY_IMPORT"
    used = {name.split(".")[1] for name in imports_of(path) if name.startswith("pointree.")}
    public_names = set(pointree.__all__) | {"pointree"}
    forbidden = used - MAY_IMPORT[layer] - {layer} - (public_names if layer == "cli" else set())
    assert not forbidden, f"{path} imports {sorted(forbidden)}, which {layer} may not"


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if {layer_of(path), path.with_suffix("").as_posix()} & set(WITHOUT_TORCH)],
    ids=str,
)
def test_layers_of_plain_python_never_name_torch(path: Path) -> None:
    assert not [name for name in imports_of(path) if name.split(".")[0] in {"torch", "safetensors"}]


def test_the_layers_have_no_cycle() -> None:
    reached: set[str] = set()
    while len(reached) < len(MAY_IMPORT):
        free = {layer for layer, below in MAY_IMPORT.items() if below & set(MAY_IMPORT) <= reached} - reached
        assert free, f"a cycle among {sorted(set(MAY_IMPORT) - reached)}"
        reached |= free


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
