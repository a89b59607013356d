"""What is read of a model at a glance: its figures, files that belong to it, and damaged ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.models.registry import AvailableModel
from pointree.models.summary import list_models, model_files, summarise

from ..helpers import tiny_parser


def test_files_of_training_do_not_belong_to_the_model(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path, card="A card.")
    expected = {path.name for path in tmp_path.iterdir()}
    for name in ("checkpoint.safetensors", "metrics.jsonl", "notes.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "LICENSE.txt").touch()
    (tmp_path / "more.json").mkdir()
    assert {path.name for path in model_files(tmp_path)} == expected | {"LICENSE.txt"}


def test_summaries(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "good", card="LAS 12.34\n\nLicence: MIT\n")
    (tmp_path / "good" / "text.udpipe").write_bytes(b"12345")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.toml").write_text("[decoder]\norder = 3\n")
    (tmp_path / "bad" / "pointree.json").write_text('{"format": 1}')
    good = AvailableModel("tiny", "installed", "wheel 1.0", tmp_path / "good")
    bad = AvailableModel("tiny", "bundled", "pointree", tmp_path / "bad")
    first, second = summarise([good, bad])
    assert (first.order, first.fusion, first.las, first.licence) == ("left-to-right", "simple", 12.34, "MIT")
    assert first.raw_text
    assert first.size == sum(path.stat().st_size for path in (tmp_path / "good").iterdir())
    assert (first.hidden, first.fault) == (False, None)
    assert (second.hidden, second.order, second.las, second.raw_text) == (True, None, None, False)
    assert second.fault is not None
    assert "decoder.order" in second.fault


def test_models_are_listed_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_parser().save(tmp_path / "legal", card="LAS 12.34 on dev.conllu, gold words.\n")
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path))
    first = list_models()[0]
    assert (first.name, first.las, first.las_on) == ("legal", 12.34, "dev.conllu, gold words")
    bundled = {model.name: model for model in list_models() if model.origin == "bundled"}
    assert bundled["en"].las_on == "English-EWT 2.6 test, gold tokens, tags of its own"


def test_a_model_for_a_newer_format_has_a_fault(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "new")
    (tmp_path / "new" / "pointree.json").write_text('{"format": 99, "pointree": "9.0.0"}')
    [found] = summarise([AvailableModel("new", "folder", "team", tmp_path / "new")])
    assert found.fault is not None
    assert found.fault.endswith("install a newer pointree)")


def test_two_packages_with_a_model_of_one_name_have_a_fault(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path)
    both = [AvailableModel("sv", "installed", f"{name} 1.0", tmp_path) for name in ("one", "other")]
    first, second = summarise(both)
    assert first.fault is None
    assert second.fault == "another package has a model of this name; pip uninstall one of them"
    assert summarise([AvailableModel("sv", "bundled", "pointree", tmp_path), *both])[1].fault is None
