"""`pointree experiment`: a real grid of tiny models, and what the command refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

GRID = """
systems = ["l2r-sequential", "oi-simple-gate1"]
tested = ["both"]
paper = "ud"
[set]
embeddings = { word_size = 8, char_size = 6, char_filters = 4, tag_size = 4, min_count = 1 }
encoder = { size = 12, layers = 1 }
decoder = { size = 12 }
scorers = { arc_size = 8, label_size = 8 }
training = { epochs = 2, schedule = "linear", learning_rate = 0.01 }
[treebanks.ewt]
train = "${EWT}"
dev = "${EWT}"
test = "${EWT}"
column = "en"
[ensembles.both]
members = ["l2r-sequential", "oi-simple-gate1"]
"""


@pytest.fixture
def grid(tmp_path: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EWT", str(ewt))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tiny.toml"
    path.write_text(GRID)
    return path


@pytest.mark.slow
def test_a_grid_is_run_and_reported(run: Run, grid: Path, tmp_path: Path) -> None:
    code, out, err = run("experiment", "run", grid, "--jobs", 2, "--threads-per-job", 1)
    assert code == 0, err
    assert "3 finished" in out
    assert "ewt.both.seed1 finished" in err
    both = json.loads((tmp_path / "results" / "tiny" / "ewt.both.seed1.json").read_text())
    assert 0.0 <= both["test"]["las"] <= both["test"]["uas"] <= 100.0
    assert (tmp_path / "runs" / "tiny" / "ewt.both.seed1" / "test.conllu").exists()
    code, out, err = run("experiment", "run", grid)
    assert (code, err) == (0, "3 of 3 cells were finished before\n")
    code, out, _err = run("experiment", "report", grid, "--csv", tmp_path / "report.csv")
    assert code == 0
    assert "| tran. | f | gate | ewt LAS | ewt LAS without subtypes |" in out
    assert "(90.29)" in out
    assert len((tmp_path / "report.csv").read_text().splitlines()) == 9
    code, out, err = run(
        "experiment", "compare", grid, "--sample", 300, "--resamples", 50, "--output", tmp_path / "c.md"
    )
    assert (code, out, err) == (0, "", "")
    assert "| both | 1 | " in (tmp_path / "c.md").read_text(encoding="utf-8")
    code, out, _err = run("experiment", "compare", grid, "--resamples", 50, "--json")
    assert [each["system"] for each in json.loads(out)["systems"]] == ["oi-simple-gate1", "both"]
    code, _out, err = run("experiment", "compare", grid, "--base", "r2l-sequential")
    assert (code, err) == (2, EXPECTED)


EXPECTED = (
    "pointree: error: expected outcomes of r2l-sequential and of another system on dev, "
    "found l2r-sequential, oi-simple-gate1, both\n"
)


def test_faults_of_the_grid_come_before_any_training(run: Run, grid: Path, tmp_path: Path) -> None:
    grid.write_text(GRID.replace("oi-simple-gate1", "oi-simpel").replace("${EWT}", "${EWT}x", 1))
    code, out, err = run("experiment", "run", grid)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "system oi-simpel is unknown" in err
    assert "treebanks.ewt.train: no such file" in err
    assert not (tmp_path / "runs").exists()


def test_listing_and_choosing(run: Run, grid: Path, tmp_path: Path) -> None:
    code, out, _err = run("experiment", "run", grid, "--list", "--only", "*.both.*")
    assert code == 0
    assert "3 waiting" in out, "an ensemble brings its members"
    code, out, _err = run("experiment", "run", grid, "--list", "--only", "*.l2r-*")
    assert "1 waiting" in out
    code, _out, err = run("experiment", "run", grid, "--list", "--only", "tr.*")
    assert (code, err) == (2, "pointree: error: only tr.*: no cell fits; the first is ewt.l2r-sequential.seed1\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "{grid}", "--changed", "maybe"], "changed must be one of refuse, rerun, keep, found maybe"),
        (["report", "{grid}", "{grid}", "--plot", "x.svg"], "plot: expected one grid, found 2"),
        (["report", "{grid}", "{grid}", "--results", "."], "results: expected one grid, found 2"),
        (["report", "{grid}", "--results", "nowhere"], "results: no such folder: nowhere"),
        (["report", "none.toml"], "none.toml: no such file"),
        (["report", "{grid}", "--plot", "x.jpg"], "x.jpg: expected a file ending in .svg, .png, .pdf, found .jpg"),
    ],
)
def test_faults_of_the_user(run: Run, grid: Path, arguments: list[str], message: str) -> None:
    found = run("experiment", *(argument.format(grid=grid) for argument in arguments))
    assert found == (2, "", f"pointree: error: {message}\n")
