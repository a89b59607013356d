"""`pointree models`: the table, the JSON contract, and models that are damaged or hidden."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.cli import console
from pointree.models import registry as models
from pointree.models.catalogue import CatalogueModel

from ..helpers import tiny_parser

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for models, which is the only place that has any."""
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path / "team"))
    monkeypatch.setattr(models, "_BUNDLED", tmp_path / "bundled")
    monkeypatch.setattr(models, "_installed", lambda: iter(()))
    return tmp_path / "team"


def test_no_models(run: Run) -> None:
    code, out, err = run("models")
    assert (code, err) == (0, "")
    assert out.startswith("No models found. Train one with `pointree train`, ")
    assert run("models", "--json") == (0, "[]\n", "")


def test_table(run: Run, team: Path, tmp_path: Path) -> None:
    tiny_parser().save(team / "legal", card="LAS 88.90 on laws 1.0 test.\n\nLicence: CC BY-SA 4.0\n")
    tiny_parser().save(tmp_path / "bundled" / "en")
    code, out, err = run("models")
    assert (code, err) == (0, "")
    [legal] = [line for line in out.splitlines() if " legal " in line]
    for cell in ("no", "CC BY-SA 4.0", "88.90", "laws 1.0 test"):
        assert f" {cell} " in legal
    [english] = [line for line in out.splitlines() if " en " in line]
    assert " bundled " in english
    assert english.count("?") == 3


def test_the_table_fits_a_terminal(run: Run, team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured_on = "English-EWT 2.6 test, gold tokens, predicted tags"
    tiny_parser().save(team / "en", card=f"LAS 88.90 on {measured_on}.\n\nLicence: CC BY-SA 4.0\n")
    monkeypatch.setenv("POINTREE_MODELS", os.path.relpath(team))
    monkeypatch.setattr(console, "_PIPE_WIDTH", 80)
    _code, out, _err = run("models")
    assert max(map(len, out.splitlines())) <= 80
    assert "88.90" in out
    assert all(word in out for word in measured_on.split())


def test_json_contract(run: Run, team: Path) -> None:
    tiny_parser().save(team / "legal", card="LAS 88.90 on laws 1.0 test.\n\nLicence: CC BY-SA 4.0\n")
    (team / "legal" / "text.udpipe").write_bytes(b"x")
    code, out, err = run("models", "--json")
    assert (code, err) == (0, "")
    [found] = json.loads(out)
    assert found.pop("size") == sum(path.stat().st_size for path in (team / "legal").iterdir())
    assert found == {
        "name": "legal",
        "origin": "folder",
        "source": str(team),
        "folder": str(team / "legal"),
        "order": "left-to-right",
        "fusion": "simple",
        "las": 88.9,
        "las_on": "laws 1.0 test",
        "raw_text": True,
        "licence": "CC BY-SA 4.0",
        "hidden": False,
        "fault": None,
    }


def test_damaged_and_hidden_models_are_listed(run: Run, team: Path, tmp_path: Path) -> None:
    tiny_parser().save(team / "en")
    tiny_parser().save(tmp_path / "bundled" / "en")
    (team / "en" / "config.toml").write_text("nonsense")
    code, out, err = run("models")
    assert code == 0
    assert (
        err
        == f"pointree: warning: model en cannot be used: {team / 'en' / 'config.toml'}:1: {err.partition(':1: ')[2]}"
    )
    assert "bundled (hidden by the one above)" in out


def test_commands_take_names(run: Run, team: Path, ewt: Path) -> None:
    tiny_parser().save(team / "legal")
    code, out, err = run("evaluate", ewt, "--model", "legal", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["words"] == 1139
    code, out, err = run("evaluate", ewt, "--model", "illegal")
    assert (code, out) == (2, "")
    assert err.startswith("pointree: error: model illegal is unknown; available: legal; ")
    assert err.count(os.linesep) == 1


def test_models_that_are_not_installed_follow(run: Run, team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swedish = CatalogueModel("sv", "Swedish", "Swedish-Talbanken 2.6", 5_400_000, 80.0)
    monkeypatch.setattr("pointree.models.catalogue.catalogue", lambda: {"sv": swedish})
    tiny_parser().save(team / "legal")
    _code, out, err = run("models")
    assert err == ""
    [line] = [line for line in out.splitlines() if " sv " in line]
    for cell in ("Swedish", "Swedish-Talbanken 2.6", "5.4", "80.00"):
        assert f" {cell} " in line
    assert "pip install -c constraints.txt ./models/sv" in out
    tiny_parser().save(team / "sv")
    assert "Not installed" not in run("models").out
