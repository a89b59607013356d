"""Running grids: finished cells are skipped, killed ones resumed, failing ones do not stop the others."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import InputError, OutputError, UsageError
from pointree.experiments.grid import Grid
from pointree.experiments.results import write_json
from pointree.experiments.runner import Runner, State, Status
from pointree.locks import lock_folder

from .conftest import FAKE, GRID

WriteGrid = Callable[..., Grid]
MakeRunner = Callable[..., Runner]


def calls(tmp_path: Path, command: str) -> list[str]:
    path = tmp_path / "calls.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.startswith(command)]


def states(statuses: list[Status]) -> list[str]:
    return [str(status.state) for status in statuses]


def result(tmp_path: Path, cell: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((tmp_path / "results" / f"{cell}.json").read_text())
    return loaded


def test_every_cell_leaves_a_result(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    assert states(runner(write_grid(), jobs=2).run()) == ["finished"] * 4
    found = result(tmp_path, "tr.oi-simple-gate1.seed2")
    assert (found["treebank"], found["system"], found["seed"]) == ("tr", "oi-simple-gate1", 2)
    assert (found["dev"]["las"], found["test"]["las"]) == (62.0, 63.0)
    assert found["dev_curve"]["las"] == [53.0, 54.0, 55.0]
    assert (found["best_epoch"], found["epochs"], found["seconds"]["train"]) == (3, 3, 3)
    assert found["commands"][0].startswith('pointree train "--train=${DATA}/train.conllu" ')
    assert str(tmp_path) not in json.dumps(found), "a result tells nothing of the machine"
    assert (tmp_path / "results" / "tr.oi-simple-gate1.seed2.json").stat().st_size < 8_000


@pytest.mark.slow
def test_finished_cells_are_skipped(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid()).run()
    before = len(calls(tmp_path, ""))
    assert states(runner(write_grid()).run()) == ["finished"] * 4
    assert len(calls(tmp_path, "")) == before
    assert states(runner(write_grid(GRID.replace("[1, 2]", "[1, 2, 3]"))).run()) == ["finished"] * 6
    assert len(calls(tmp_path, "train")) == 6


@pytest.mark.slow
def test_a_failing_cell_does_not_stop_the_others(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_FAIL", "left-to-right")
    grid = write_grid(GRID + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n')
    statuses = runner(grid).run()
    assert states(statuses) == ["failed", "finished", "failed"] * 2
    assert statuses[0].detail == "train: the weights are no longer finite"
    assert statuses[2].detail == "tr.l2r-sequential.seed1, which it needs, failed"
    monkeypatch.delenv("FAKE_FAIL")
    assert states(runner(grid).run()) == ["finished"] * 6
    assert result(tmp_path, "tr.both.seed1")["test"]["las"] == 64.0


def test_an_ensemble_parses_with_the_models_of_its_members(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    text = GRID.replace("[1, 2]", "[1]")
    runner(write_grid(text + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n'), jobs=3).run()
    parses = [call for call in calls(tmp_path, "parse") if call.count("--model") == 2]
    assert len(parses) == 2
    runs = tmp_path / "runs"
    for system in ("l2r-sequential", "oi-simple-gate1"):
        assert f"--model {runs}/tr.{system}.seed1/model" in parses[0]
    commands = result(tmp_path, "tr.both.seed1")["commands"]
    assert "--model tr.l2r-sequential.seed1/model --model tr.oi-simple-gate1.seed1/model" in commands[0]


MEMBERS = GRID.replace("[1, 2]", "[1]")
ENSEMBLE = MEMBERS + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n'
L2R, OI, BOTH = "tr.l2r-sequential.seed1", "tr.oi-simple-gate1.seed1", "tr.both.seed1"


def epochs_of_model(tmp_path: Path, cell: str) -> int:
    return len((tmp_path / "runs" / cell / "model" / "metrics.jsonl").read_text().splitlines())


def test_a_lost_model_is_trained_again_where_an_ensemble_needs_it(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    runner(write_grid(MEMBERS)).run()
    shutil.rmtree(tmp_path / "runs" / L2R)
    recorded = tmp_path / "results" / f"{L2R}.json"
    recorded.write_text(recorded.read_text().replace('"finished": "', '"finished": "long ago, '))
    notes: list[str] = []
    assert states(runner(write_grid(ENSEMBLE), note=notes.append).run()) == ["finished"] * 3
    assert notes == [f"{L2R}: has a result, but an ensemble needs its model: it is trained again"]
    assert len(calls(tmp_path, "train")) == 3, "a model that is there is not made again"
    assert result(tmp_path, L2R)["finished"].startswith("long ago"), "what was recorded stands"
    shutil.rmtree(tmp_path / "runs")
    assert states(runner(write_grid(ENSEMBLE)).run()) == ["finished"] * 3
    assert len(calls(tmp_path, "train")) == 3, "an ensemble that has its result needs no models"


def test_an_ensemble_never_parses_with_half_a_model(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid(MEMBERS)).run()
    metrics = tmp_path / "runs" / OI / "model" / "metrics.jsonl"
    metrics.write_text(metrics.read_text().splitlines(keepends=True)[0])
    assert states(runner(write_grid(ENSEMBLE)).run()) == ["finished"] * 3
    assert [call.split()[-1] for call in calls(tmp_path, "train")][2:] == ["--resume"]
    metrics.write_text(metrics.read_text() * 2)  # as if it had been trained on by hand
    (tmp_path / "results" / f"{BOTH}.json").unlink()
    runner(write_grid(ENSEMBLE)).run()
    assert len(calls(tmp_path, "train")) == 4, "training itself says that its epochs are too many"


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["other settings", "no settings"])
def test_an_ensemble_never_parses_with_a_model_of_other_settings(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    runner(write_grid(MEMBERS)).run()
    identity = tmp_path / "runs" / OI / "cell.json"
    if damage == "no settings":
        identity.unlink()
    else:
        own = json.loads(identity.read_text())
        own["identity"]["config"]["training"]["epochs"] = 2
        identity.write_text(json.dumps(own))
    message = r"training.epochs was 2" if damage == "other settings" else "cell.json was lost"
    with pytest.raises(UsageError, match=rf"{OI} was made with other settings \({message}"):
        runner(write_grid(ENSEMBLE)).run()
    assert states(runner(write_grid(MEMBERS)).run()) == ["finished"] * 2, "without an ensemble nobody reads it"
    monkeypatch.setenv("FAKE_FAIL", "outside-in")
    assert states(runner(write_grid(ENSEMBLE), changed="rerun").run()) == ["finished", "failed", "failed"]
    assert result(tmp_path, OI)["epochs"] == 3, "its result was right, and is not lost"
    monkeypatch.delenv("FAKE_FAIL")
    assert states(runner(write_grid(ENSEMBLE)).run()) == ["finished"] * 3


@pytest.mark.slow
def test_an_ensemble_runs_again_with_models_that_fit_the_results_of_its_members(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    longer = ENSEMBLE.replace("epochs = 3", "epochs = 4")
    runner(write_grid(longer)).run()
    travelled = {cell: (tmp_path / "results" / f"{cell}.json").read_text() for cell in (L2R, OI)}
    shutil.rmtree(tmp_path / "runs")
    shutil.rmtree(tmp_path / "results")
    runner(write_grid(ENSEMBLE)).run()
    for cell, text in travelled.items():
        (tmp_path / "results" / f"{cell}.json").write_text(text)
    assert states(runner(write_grid(longer), changed="rerun").run()) == ["finished"] * 3
    assert [epochs_of_model(tmp_path, cell) for cell in (L2R, OI)] == [4, 4]


def test_a_model_of_other_settings_never_completes_a_result(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    shorter = MEMBERS.replace("epochs = 3", "epochs = 2")
    runner(write_grid("tested = []\n" + shorter)).run()
    untested = (tmp_path / "results" / f"{L2R}.json").read_text()
    shutil.rmtree(tmp_path / "runs")
    shutil.rmtree(tmp_path / "results")
    runner(write_grid(MEMBERS)).run()
    (tmp_path / "results" / f"{L2R}.json").write_text(untested)
    with pytest.raises(UsageError, match=rf"{L2R} was made with other settings \(training.epochs was 3, is 2\)"):
        runner(write_grid(shorter)).run()


@pytest.mark.slow
def test_a_changed_grid_never_reuses_results(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid()).run()
    changed = write_grid(GRID.replace("epochs = 3", "epochs = 4"))
    with pytest.raises(UsageError) as error:
        runner(changed).run()
    assert str(error.value).count("was made with other settings (training.epochs was 3, is 4)") == 4
    notes: list[str] = []
    assert states(runner(changed, changed="keep", note=notes.append).run()) == ["made with other settings"] * 4
    assert len(notes) == 4
    assert len(calls(tmp_path, "train")) == 4
    assert states(runner(changed, changed="rerun").run()) == ["finished"] * 4
    assert len(calls(tmp_path, "train")) == 8
    assert not any("--resume" in call for call in calls(tmp_path, "train"))
    assert result(tmp_path, "tr.l2r-sequential.seed1")["epochs"] == 4


@pytest.mark.slow
def test_a_kept_model_is_never_recorded_under_new_settings(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    text = GRID.replace("[1, 2]", "[1]") + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n'
    runner(write_grid(text)).run()
    for cell in ("l2r-sequential", "both"):  # as after a kill between training and result
        (tmp_path / "results" / f"tr.{cell}.seed1.json").unlink()
    changed = write_grid(text.replace("epochs = 3", "epochs = 3\nlearning_rate = 0.5"))
    statuses = runner(changed, changed="keep").run()
    assert states(statuses) == ["made with other settings"] * 3
    assert not (tmp_path / "results" / "tr.l2r-sequential.seed1.json").exists()
    assert states(runner(changed, changed="rerun").run()) == ["finished"] * 3, "what was kept can still run again"


def test_an_ensemble_of_kept_members_does_not_run(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    text = GRID.replace("[1, 2]", "[1]")
    runner(write_grid(text)).run()
    text = (
        text.replace("epochs = 3", "epochs = 2") + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n'
    )
    statuses = runner(write_grid(text), changed="keep").run()
    assert states(statuses) == ["made with other settings"] * 2 + ["failed"]
    assert statuses[2].detail == "tr.l2r-sequential.seed1, which it needs, was made with other settings"


def test_a_survey_touches_nothing(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid()).run()
    survey = runner(write_grid(GRID.replace("epochs = 3", "epochs = 4")), changed="rerun")
    before = sorted(tmp_path.rglob("*"))
    survey.survey()
    assert states(list(survey.statuses.values())) == ["made with other settings"] * 4
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on Unix only")
def test_a_cell_that_somebody_works_on_is_not_removed(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    runner(write_grid()).run()
    changed = write_grid(GRID.replace("epochs = 3", "epochs = 4"))
    folder = tmp_path / "runs" / "tr.l2r-sequential.seed1"
    held = lock_folder(folder)
    assert held is not None
    with held, pytest.raises(UsageError, match="another process works on this cell; wait for it, or end it"):
        runner(changed, changed="rerun").run()
    assert (folder / "model").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on Unix only")
def test_a_survey_shows_a_cell_that_somebody_works_on(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    held = lock_folder(tmp_path / "runs" / "tr.oi-simple-gate1.seed1")
    assert held is not None
    with held:
        survey = runner(write_grid())
        survey.survey()
    assert states(list(survey.statuses.values())) == ["waiting", "running elsewhere", "waiting", "waiting"]


@pytest.mark.parametrize("folder", ["runs", "results"])
def test_a_folder_that_cannot_be_written_is_told_before_anything_trains(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path, folder: str
) -> None:
    (tmp_path / folder).write_text("not a folder")
    with pytest.raises(OutputError, match=rf"{folder}: cannot be written: "):
        runner(write_grid()).run()
    assert calls(tmp_path, "") == []


def test_a_cell_whose_folder_cannot_be_made_does_not_stop_the_others(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "tr.l2r-sequential.seed1").write_text("in the way")
    statuses = runner(write_grid()).run()
    assert states(statuses) == ["failed", "finished", "finished", "finished"]
    assert "tr.l2r-sequential.seed1: cannot be written: " in statuses[0].detail


def test_a_cell_whose_result_cannot_be_written_does_not_stop_the_others(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: Any) -> None:
        if path.name == "tr.l2r-sequential.seed1.json":
            raise OutputError(f"{path}: cannot be written: No space left on device")
        write_json(path, content)

    monkeypatch.setattr("pointree.experiments.runner.write_json", full)
    statuses = runner(write_grid()).run()
    assert states(statuses) == ["failed", "finished", "finished", "finished"]
    assert statuses[0].detail.endswith("No space left on device")


@pytest.mark.parametrize("content", ["{}", '{"identity": 3}'])
def test_a_result_that_is_none_is_named(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path, content: str
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "tr.l2r-sequential.seed1.json").write_text(content)
    with pytest.raises(InputError, match=r'seed1\.json: expected an object under "identity", found none; remove the'):
        runner(write_grid()).run()


def test_commands_are_those_that_ran(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid(GRID.replace("[1, 2]", "[1]")), threads=3, device="cuda").run()
    found = result(tmp_path, "tr.l2r-sequential.seed1")
    assert found["threads"] == 3
    assert all("--threads 3 --device cuda" in command for command in found["commands"] if " evaluate " not in command)


def test_changed_data_are_noticed(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    from pointree.experiments.identity import checksum

    runner(write_grid()).run()
    (tmp_path / "data" / "train.conllu").write_text("other")
    checksum.cache_clear()
    with pytest.raises(UsageError, match="the train file has changed"):
        runner(write_grid()).run()


@pytest.mark.slow
def test_test_scores_are_added_without_training_again(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    runner(write_grid("tested = []\n" + GRID)).run()
    assert "test" not in result(tmp_path, "tr.l2r-sequential.seed1")
    runner(write_grid()).run()
    assert result(tmp_path, "tr.l2r-sequential.seed1")["test"]["las"] == 62.0
    assert len(calls(tmp_path, "train")) == 4


def test_results_of_other_sources_are_told(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    runner(write_grid(GRID.replace("[1, 2]", "[1]"))).run()
    path = tmp_path / "results" / "tr.l2r-sequential.seed1.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "code": {"pointree": "0.1", "sources": "x", "commit": "abc"}}))
    notes: list[str] = []
    runner(write_grid(GRID.replace("[1, 2]", "[1]")), note=notes.append).run()
    assert notes == ["tr.l2r-sequential.seed1: finished, with other sources of pointree 0.1, commit abc"]


SCRIPT = """
import sys
from pathlib import Path
from pointree.experiments.grid import load_grid
from pointree.experiments.runner import Runner
folder = Path(sys.argv[1])
grid = load_grid(folder / "grid.toml", {"DATA": str(folder / "data")})
program = (sys.executable, sys.argv[2])
Runner(grid.cells, folder / "runs", folder / "results", poll_seconds=0.01, program=program).run()
"""


def killed_runner(tmp_path: Path, after: Callable[[], bool]) -> int:
    """Kill a runner in another process without warning, as soon as something has happened.

    Returns the number of the process that it had started.
    """
    environ = {**os.environ, "FAKE_SECONDS": "0.5", "FAKE_PID": str(tmp_path / "pid")}
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path), str(FAKE)], env=environ)
    wait_for(after)
    process.kill()
    process.wait()
    return int((tmp_path / "pid").read_text())


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on Unix only")
def test_a_training_that_outlives_its_runner_is_waited_for(
    write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path
) -> None:
    grid = write_grid(GRID.replace("[1, 2]", "[1]"))
    checkpoint = tmp_path / "runs" / "tr.l2r-sequential.seed1" / "model" / "checkpoint.safetensors"
    killed_runner(tmp_path, checkpoint.exists)
    seen: set[str] = set()
    statuses = runner(grid, observe=lambda all_: seen.update(str(status.state) for status in all_)).run()
    assert states(statuses) == ["finished", "finished"]
    assert State.ELSEWHERE in seen
    assert len(calls(tmp_path, "train")) == 2, "the training that was running is not started twice"


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are those of Unix")
def test_a_killed_cell_is_resumed(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    grid = write_grid(GRID.replace("[1, 2]", "[1]"))
    checkpoint = tmp_path / "runs" / "tr.l2r-sequential.seed1" / "model" / "checkpoint.safetensors"
    os.kill(killed_runner(tmp_path, checkpoint.exists), signal.SIGKILL)
    assert states(runner(grid).run()) == ["finished", "finished"]
    first, second = [call for call in calls(tmp_path, "train") if "tr.l2r-sequential" in call]
    assert "--resume" not in first
    assert second.endswith("--resume")
    assert result(tmp_path, "tr.l2r-sequential.seed1")["dev_curve"]["las"] == [52.0, 53.0, 54.0]


def test_an_interrupt_ends_the_processes(write_grid: WriteGrid, runner: MakeRunner, tmp_path: Path) -> None:
    started: list[float] = []

    def interrupt(statuses: object) -> None:
        if (tmp_path / "calls.txt").exists():
            started.append(time.monotonic())
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_SECONDS", "60")
        with pytest.raises(KeyboardInterrupt):
            runner(write_grid(), observe=interrupt).run()
    assert time.monotonic() - started[0] < 20
    assert states(runner(write_grid()).run()) == ["finished"] * 4
