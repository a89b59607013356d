"""`pointree release`: what it needs, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
RECIPE = Path(__file__).resolve().parents[2] / "experiments" / "languages.toml"


def test_the_data_must_be_named(run: Run) -> None:
    code, _out, err = run("release", "sv")
    assert (code, err) == (2, "pointree: error: Missing option '--data'; see pointree release --help\n")


def test_an_unknown_language_is_told_with_those_of_the_recipe(run: Run, tmp_path: Path) -> None:
    code, _out, err = run("release", "xx", "--recipe", RECIPE, "--data", tmp_path)
    assert code == 2
    assert err.startswith("pointree: error: language xx is unknown; the recipe has sv, ")


def test_missing_data_is_told_before_anything_runs(run: Run, tmp_path: Path) -> None:
    code, _out, err = run("release", "sv", "--recipe", RECIPE, "--data", tmp_path, "--work", tmp_path / "work")
    assert code == 2
    assert "sv_talbanken-ud-train.conllu: no such file; sv needs it under --data" in err
    assert not (tmp_path / "work").exists()
