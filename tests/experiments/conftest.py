"""Grids that run in no time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.experiments.grid import Grid, load_grid
from pointree.experiments.runner import Runner

FAKE = Path(__file__).parent / "fake_pointree.py"

GRID = """
seeds = [1, 2]
systems = ["l2r-sequential", "oi-simple-gate1"]
paper = "ud"

[set.training]
epochs = 3

[treebanks.tr]
train = "${DATA}/train.conllu"
dev = "${DATA}/dev.conllu"
test = "${DATA}/test.conllu"
column = "tr"
"""


@pytest.fixture
def write_grid(tmp_path: Path) -> Callable[..., Grid]:
    """Write a grid with its data, and load it."""

    def write(text: str = GRID, name: str = "grid", **options: Any) -> Grid:
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        for split in ("train", "dev", "test"):
            path = data / f"{split}.conllu"
            if not path.exists():
                path.write_text(f"# sent_id = {split}\n1\tword\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
        grid = tmp_path / f"{name}.toml"
        grid.write_text(text)
        return load_grid(grid, {"DATA": str(data)}, **options)

    return write


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Runner]:
    """A runner of a grid whose commands are fakes that write their calls to `calls.txt`."""
    monkeypatch.setenv("FAKE_CALLS", str(tmp_path / "calls.txt"))

    def make(grid: Grid, **options: Any) -> Runner:
        how: dict[str, Any] = {"poll_seconds": 0.01, "program": (sys.executable, str(FAKE)), **options}
        return Runner(grid.cells, tmp_path / "runs", tmp_path / "results", **how)

    return make
