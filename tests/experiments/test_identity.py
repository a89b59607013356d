"""What makes an old result useless, and what does not."""

from __future__ import annotations

import copy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pointree.experiments import identity as module
from pointree.experiments.cell import TrainingRun
from pointree.experiments.grid import Grid, load_grid
from pointree.experiments.identity import changes, checksum, code_state, fingerprint, identity

from .conftest import GRID


def test_it_has_configuration_and_data(write_grid: Callable[..., Grid]) -> None:
    grid = write_grid()
    first, second = identity(grid.cells[0]), identity(grid.cells[1])
    assert set(first) == {"config", "beam", "data"}
    assert set(first["data"]) == {"train", "dev", "test"}
    assert changes(first, first) == []
    assert fingerprint(first) != fingerprint(second)
    assert changes(first, second) == [
        "decoder.fusion was none, is simple",
        "decoder.order was left-to-right, is outside-in",
    ]


def test_changed_data_count_and_versions_do_not(write_grid: Callable[..., Grid]) -> None:
    cell = write_grid().cells[0]
    now = identity(cell)
    before = copy.deepcopy(now)
    before["data"]["train"] = "other"
    before["pointree"] = "0.1.0"
    assert changes(before, now) == ["the train file has changed"]


def test_old_settings_count_only_if_they_had_an_effect(write_grid: Callable[..., Grid]) -> None:
    now = identity(write_grid().cells[0])
    now["config"]["embeddings"]["pretrained"] = {"model": "bert"}
    before = copy.deepcopy(now)
    before["config"]["embeddings"]["contextual"] = before["config"]["embeddings"].pop("pretrained")
    before["config"]["training"] |= {"rest": 0.0, "restarts": [], "embedding_dropout_stage": 1}
    assert changes(before, now) == changes(now, before) == []
    before["config"]["training"]["rest"] = 0.5
    assert changes(before, now) == ["training.rest was 0.5, is 0.0"]
    assert changes({"members": {"a": before}}, {"members": {"a": now}}) == ["a: training.rest was 0.5, is 0.0"]


def test_an_option_that_is_new_since_counts_as_its_default(write_grid: Callable[..., Grid]) -> None:
    now = identity(write_grid().cells[0])
    before = copy.deepcopy(now)
    del before["config"]["training"]["average"]
    assert changes(before, now) == []
    now["config"]["training"]["average"] = 0.9
    assert changes(before, now) == ["training.average was 0.0, is 0.9"]


def test_exploration_does_not_matter_to_a_parser_that_sees_no_attachments(write_grid: Callable[..., Grid]) -> None:
    cells = write_grid().cells[:2]
    explored = write_grid(GRID.replace("[set.training]", "[set.training]\nexploration = 0.5")).cells[:2]
    sequential, fused = (changes(identity(before), identity(now)) for before, now in zip(cells, explored, strict=True))
    assert sequential == []
    assert fused == ["training.exploration was 0.0, is 0.5"]


def test_an_option_of_contextual_embeddings_that_is_new_counts_as_its_default(write_grid: Callable[..., Grid]) -> None:
    now = identity(write_grid().cells[0])
    now["config"]["embeddings"]["pretrained"] = {"model": "bert", "fine_tune_table": True}
    before = copy.deepcopy(now)
    del before["config"]["embeddings"]["pretrained"]["fine_tune_table"]
    assert changes(before, now) == []


def test_rules_of_the_search_count_and_their_absence_is_no_change(write_grid: Callable[..., Grid]) -> None:
    usual, now = identity(write_grid().cells[0]), identity(write_grid("projective = true\n" + GRID).cells[0])
    assert "projective" not in usual
    expected = ["projective was False, is True", "selection.projective was False, is True"]
    assert sorted(changes(usual, now)) == sorted(expected)
    assert len(changes(now, usual)) == 2


def test_test_scores_may_come_later(write_grid: Callable[..., Grid]) -> None:
    now = identity(write_grid().cells[0])
    before = copy.deepcopy(now)
    del before["data"]["test"]
    assert changes(before, now) == []


def test_ensembles_depend_on_their_members(write_grid: Callable[..., Grid]) -> None:
    grid = write_grid(GRID + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n')
    members = {cell.name: identity(cell) for cell in grid.cells if isinstance(cell, TrainingRun)}
    now = identity(grid.cells[2], members)
    before = copy.deepcopy(now)
    before["members"]["tr.oi-simple-gate1.seed1"]["config"]["training"]["epochs"] = 2
    assert changes(before, now) == ["tr.oi-simple-gate1.seed1: training.epochs was 2, is 3"]
    del before["members"]["tr.oi-simple-gate1.seed1"]
    assert changes(before, now) == ["tr.oi-simple-gate1.seed1 is new"]


def test_paths_of_variables_count_by_their_last_part(write_grid: Callable[..., Grid], tmp_path: Path) -> None:
    text = GRID + '[set.embeddings.pretrained]\nmodel = "${ENCODER}"\n'
    path = write_grid(text, need_files=False).path
    for folder in ("here", "there"):
        (tmp_path / folder / "bert").mkdir(parents=True)
    names = []
    for folder in ("here", "there"):
        environ = {"DATA": str(tmp_path / "data"), "ENCODER": str(tmp_path / folder / "bert")}
        cell = load_grid(path, environ).cells[0]
        assert isinstance(cell, TrainingRun)
        assert str(tmp_path) in str(cell.config.embeddings.pretrained.model)
        names.append(identity(cell)["config"]["embeddings"]["pretrained"]["model"])
    assert names == ["bert", "bert"]


def test_checksums_and_code(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert checksum(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert len(code_state()["sources"]) == 16


def test_a_package_that_a_repository_does_not_know_has_no_commit_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    package = tmp_path / ".venv" / "pointree"
    shutil.copytree(Path(module.__file__).parents[1], package, ignore=shutil.ignore_patterns("bundled", "__pycache__"))
    monkeypatch.setattr(module, "__file__", str(package / "experiments" / "identity.py"))
    installed = code_state.__wrapped__()
    assert "commit" not in installed
    assert installed["sources"] == code_state()["sources"]
