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
        "Parser",
        "PointreeError",
        "Sentence",
        "Token",
        "__version__",
        "load",
    ]
    assert pointree.__all__ == sorted(pointree.__all__)


def test_lazy_names_resolve() -> None:
    assert pointree.Config.__module__ == "pointree.config"
    assert pointree.Sentence.__module__ == "pointree.treebank.sentence"
    assert set(pointree.__all__) <= set(dir(pointree))


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'pointree' has no attribute 'Praser'"):
        _ = pointree.Praser


@pytest.mark.parametrize(
    "statement",
    [
        "import pointree",
        "import pointree.treebank, pointree.treebank.sentence",
        "import pointree.transitions",
        "import pointree.config, pointree.errors, pointree.files",
        "import pointree.cli.main",
    ],
)
def test_light_modules_do_not_import_heavy_ones(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint(*sorted({{'torch', 'numpy', 'rich'}} & set(sys.modules)))"
    env = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == ""
