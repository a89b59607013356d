"""The public surface: small, sorted, and light to import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pointree


def test_public_names_are_pinned() -> None:
    assert pointree.__all__ == [
        "Config",
        "Ensemble",
        "ParseOptions",
        "Parser",
        "PointreeError",
        "Sentence",
        "Token",
        "__version__",
        "analyse",
        "calibrate",
        "compact_pretrained",
        "compare_experiment",
        "evaluate",
        "list_models",
        "load",
        "load_ensemble",
        "package",
        "parse_files",
        "parse_on_cluster",
        "push",
        "release_models",
        "report_experiment",
        "run_bench",
        "run_experiment",
        "shrink_model",
        "to_pandas",
        "train",
        "treebank_statistics",
    ]
    assert pointree.__all__ == sorted(pointree.__all__)


def test_lazy_names_resolve() -> None:
    assert pointree.Config.__module__ == "pointree.config.config"
    assert pointree.analyse.__module__ == "pointree.analysis.run"
    assert pointree.evaluate.__module__ == "pointree.evaluation.run"
    assert pointree.treebank_statistics.__module__ == "pointree.analysis.statistics"
    assert pointree.Sentence.__module__ == "pointree.treebank.sentence"
    assert set(pointree.__all__) <= set(dir(pointree))
    for name in pointree.__all__:
        assert getattr(pointree, name).__doc__ or name == "__version__"


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'pointree' has no attribute 'Praser'"):
        _ = pointree.Praser


def modules_loaded_by(statement: str, watched: set[str]) -> str:
    code = f"{statement}\nimport sys\nprint(*sorted({watched!r} & set(sys.modules)))"
    env = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["pointree", "pointree.config", "pointree.files", "pointree.cli.main"])
def test_what_every_command_imports_is_light(module: str) -> None:
    assert modules_loaded_by(f"import {module}", {"torch", "numpy", "rich"}) == ""


@pytest.mark.parametrize("layer", ["treebank", "transitions", "evaluation", "analysis"])
def test_layers_of_plain_python_work_without_torch(layer: str) -> None:
    statement = (
        f"import importlib, pkgutil, pointree.{layer} as layer\n"
        "for module in pkgutil.walk_packages(layer.__path__, layer.__name__ + '.'):\n"
        "    importlib.import_module(module.name)"
    )
    assert modules_loaded_by(statement, {"torch"}) == ""
