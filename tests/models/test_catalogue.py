"""The models that can be installed: the list in the package follows from recorded results."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.models import catalogue as room
from pointree.models.catalogue import CatalogueModel, catalogue, install_command, not_installed
from pointree.models.registry import resolve_model

ROOT = Path(__file__).resolve().parents[2]
SWEDISH = CatalogueModel("sv", "Swedish", "Swedish-Talbanken 2.6", 5_400_000, 80.0)


def test_the_list_is_that_of_the_recorded_results() -> None:
    tables = runpy.run_path(str(ROOT / "experiments" / "tables.py"))
    written = (ROOT / "src" / "pointree" / "models" / "catalogue.json").read_text(encoding="utf-8")
    assert written == tables["catalogue"](), "run python experiments/tables.py"


def test_every_model_of_the_list_is_in_the_repository() -> None:
    folders = {path.parent.name for path in (ROOT / "models").glob("*/pointree.json")}
    assert folders == set(catalogue())
    for code, model in catalogue().items():
        assert model.size <= 6e6
        assert (ROOT / "models" / code / "pyproject.toml").is_file()


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "catalogue", lambda: {"sv": SWEDISH})
    assert not_installed(["en"]) == [SWEDISH]
    assert not_installed(["en", "sv"]) == []
    assert install_command("sv") == "pip install -c constraints.txt ./models/sv"


def test_a_model_that_is_not_installed_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.models.registry.catalogue", lambda: {"sv": SWEDISH})
    monkeypatch.setattr("pointree.models.registry._installed", lambda: iter(()))
    monkeypatch.delenv("POINTREE_MODELS", raising=False)
    with pytest.raises(
        ModelError, match=r"^model sv \(Swedish\) is not installed; .*`pip install .* ./models/sv`.*: en, en-fast$"
    ):
        resolve_model("sv")
