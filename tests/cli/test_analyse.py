"""`pointree analyse`: tables, JSON, page and plots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.cli.analyse import name_systems
from pointree.errors import UsageError

Run = Callable[..., Any]


def test_tables(run: Run, ewt: Path) -> None:
    code, out, err = run("analyse", ewt, f"one={ewt}", f"two={ewt}", "--resamples", 20)
    assert (code, err) == (0, "")
    for expected in ("Scores", "one - two", "+0.00", "1.0000", "By sentence length", "By label", "nsubj", "NOUN"):
        assert expected in out


def test_json_and_page(run: Run, ewt: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _err = run("analyse", ewt, ewt, "--json", "--html", page)
    assert code == 0
    assert json.loads(out)["scores"] == {"ewt": {"uas": 100.0, "las": 100.0}}
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_plots(run: Run, ewt: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")
    run("analyse", ewt, ewt, "--json", "--plot", tmp_path / "a.svg", "--plot", tmp_path / "a.png")
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.png"}


def test_a_plot_that_cannot_be_drawn_is_told_before_anything_is_written(run: Run, ewt: Path, tmp_path: Path) -> None:
    found = run("analyse", ewt, ewt, "--html", tmp_path / "page.html", "--plot", "x.jpg")
    assert (found.code, found.err) == (
        2,
        "pointree: error: x.jpg: expected a file ending in .svg, .png, .pdf, found .jpg\n",
    )
    assert not (tmp_path / "page.html").exists()


def test_names_of_systems() -> None:
    assert name_systems(["a=x/t.conllu", "y/u.conllu"]) == {"a": Path("x/t.conllu"), "u": Path("y/u.conllu")}
    assert list(name_systems(["x/test.conllu", "y/test.conllu"])) == ["x/test", "y/test"]
    with pytest.raises(UsageError, match=r"two systems are called a: x and y; write NAME=FILE"):
        name_systems(["a=x", "a=y"])


def test_a_missing_file(run: Run, ewt: Path, tmp_path: Path) -> None:
    code, out, err = run("analyse", ewt, tmp_path / "none.conllu")
    assert (code, out) == (2, "")
    assert err == f"pointree: error: {tmp_path}/none.conllu: no such file\n"
