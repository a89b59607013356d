"""A grid from Python: `pointree.run_experiment` and `pointree.report_experiment`."""

from __future__ import annotations

from pathlib import Path

import pytest

import pointree
from pointree.errors import UsageError
from pointree.experiments.runner import State

GRID = """
systems = ["l2r-sequential", "oi-simple-gate1"]
tested = ["both"]
[treebanks.ewt]
train = "${EWT}"
dev = "${EWT}"
test = "${EWT}"
[ensembles.both]
members = ["l2r-sequential", "oi-simple-gate1"]
"""


@pytest.fixture
def grid(tmp_path: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EWT", str(ewt))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(GRID)
    return tmp_path / "tiny.toml"


def test_a_dry_run_tells_where_the_cells_stand(grid: Path, tmp_path: Path) -> None:
    statuses = pointree.run_experiment(str(grid), dry_run=True)
    assert [(status.cell.name, status.state) for status in statuses] == [
        ("ewt.l2r-sequential.seed1", State.WAITING),
        ("ewt.oi-simple-gate1.seed1", State.WAITING),
        ("ewt.both.seed1", State.WAITING),
    ]
    assert len(pointree.run_experiment(grid, dry_run=True, only=["*.l2r-*"])) == 1
    assert not (tmp_path / "runs").exists()


def test_a_report_is_returned_and_written(grid: Path, tmp_path: Path) -> None:
    markdown = pointree.report_experiment(grid, output=tmp_path / "report.md", csv=tmp_path / "report.csv")
    assert "| tran. | f | gate | ewt LAS | ewt LAS without subtypes |" in markdown
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == markdown
    assert (tmp_path / "report.csv").exists()


def test_arguments_that_are_refused_by_their_names(grid: Path) -> None:
    with pytest.raises(UsageError, match=r"^changed must be one of refuse, rerun, keep, found maybe$"):
        pointree.run_experiment(grid, changed="maybe")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^plot: expected one grid, found 2$"):
        pointree.report_experiment(grid, grid, plot="x.svg")
