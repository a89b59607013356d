"""The notebooks in `examples` run from top to bottom, and show trees, tables and traces."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

from .pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

SHOWN = {
    "compare": ("text/html", "left-to-right"),
    "errors": ("image/svg+xml", "<svg"),
    "parse": ("text/html", 'alt="John and Mary play tennis together."'),
    "steps": ("text/html", "next best"),
}
"""For each notebook, something that one of its outputs shows."""


@pytest.fixture
def nbformat() -> Any:
    for library in ("nbclient", "ipykernel", "pandas"):
        pytest.importorskip(library)
    return pytest.importorskip("nbformat")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, nbformat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nbclient import NotebookClient

    # A copy of the folders that the notebook knows, so that what it trains is not left behind.
    (tmp_path / "examples").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copytree(ROOT / "tests" / "fixtures", tmp_path / "tests" / "fixtures")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the libraries that talk to the kernel
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path / "examples")}}).execute()
    if folder := os.environ.get("POINTREE_NOTEBOOKS"):
        nbformat.write(notebook, Path(folder, path.name))
    kind, text = SHOWN[path.stem]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any(text in output.get("data", {}).get(kind, "") for output in outputs)
    assert not [output for output in outputs if output.get("name") == "stderr" and "Warning" in output["text"]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path, nbformat: Any) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]


def test_the_guide_lists_all_notebooks() -> None:
    guide = (ROOT / "docs" / "guide" / "notebooks.md").read_text(encoding="utf-8")
    assert [path.stem for path in NOTEBOOKS] == sorted(SHOWN)
    assert all(f"`examples/{path.name}`" in guide for path in NOTEBOOKS)
