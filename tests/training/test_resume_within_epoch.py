"""A run with checkpoints within its epochs is the run without them, wherever it is stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from pointree.config import Config
from pointree.models.layout import CHECKPOINT, METRICS, WEIGHTS
from pointree.parser import Parser
from pointree.training import trainer as trainer_module
from pointree.training.observer import TrainingObserver
from pointree.training.trainer import Trainer

from .runs import small_config, small_data, small_trainer

BASE: dict[str, Any] = {"epochs": 3, "batch_size": 1, "dropout_rise": 2}
SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {},
    "averaged": {"average": 0.9},
    "explored": {"exploration": 0.7},
    "everything": {"average": 0.9, "exploration": 1.0, "heads": True},
    "plateau": {"schedule": "plateau", "patience": 1, "learning_rate": 0.2, "average": 0.9, "exploration": 1.0},
    "random batches": {"batching": "sentences", "batch_size": 2, "average": 0.9},
    "taught": {"average": 0.9, "exploration": 0.7},
}
STOPS = ((1, 2), (1, 4), (3, 6))
"""Epochs and batches in which a run is stopped, one after the other: after a checkpoint that has a batch less."""
N_SENTENCES = 15
TIMES = {"words_per_s", "seconds"}


class StopError(Exception):
    """Somebody stops a run."""


class Stopper(TrainingObserver):
    """Stops a run after a step, and counts what it hears."""

    def __init__(self, step: int = 0) -> None:
        self.step = step
        self.steps_heard = 0
        self.resumed: list[tuple[int, float]] = []

    def epoch_resumed(self, words: int, seconds: float) -> None:
        self.resumed.append((words, seconds))

    def batch_done(self, words: int, loss: float) -> None:
        self.steps_heard += 1
        if self.steps_heard == self.step:
            raise StopError


def metrics(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / METRICS).read_text(encoding="utf-8").splitlines()
    return [{name: value for name, value in json.loads(line).items() if name not in TIMES} for line in lines]


def assert_equal(folder: Path, expected: Path) -> None:
    """Weights, metrics but for times, and all that a run would go on from."""
    assert (folder / WEIGHTS).read_bytes() == (expected / WEIGHTS).read_bytes()
    assert metrics(folder) == metrics(expected)
    ended, should_end = load_file(folder / CHECKPOINT), load_file(expected / CHECKPOINT)
    assert ended.keys() == should_end.keys()
    assert all(ended[name].equal(tensor) for name, tensor in should_end.items())
    assert {path.name for path in folder.iterdir()} == {path.name for path in expected.iterdir()}


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teacher") / "teacher"
    small_trainer(folder, small_config(epochs=2, seed=3)).run()
    return folder


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every batch."""
    monkeypatch.setattr(trainer_module, "CHECKPOINT_SECONDS", 0.0)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_run_stopped_within_epochs_is_the_run_that_was_never_stopped(
    name: str, teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(**{**BASE, **SETTINGS[name]})

    def trainer(folder: str, observer: TrainingObserver) -> Trainer:
        teachers = [Parser.load(teacher)] if name == "taught" else []
        return small_trainer(tmp_path / folder, config, observer=observer, teachers=teachers)

    trainer("whole", TrainingObserver()).run()
    monkeypatch.setattr(trainer_module, "CHECKPOINT_SECONDS", 0.0)
    n_batches = -(-N_SENTENCES // config.training.batch_size)
    learned = 0
    for epoch, batch in STOPS:
        step = (epoch - 1) * n_batches + batch
        part = trainer("parts", Stopper(step - learned))
        if learned:
            part.resume()
        with pytest.raises(StopError):
            part.run()
        learned = step - 1
    last = trainer("parts", Stopper())
    last.resume()
    assert last.progress.step == learned
    last.run()
    assert_equal(tmp_path / "parts", tmp_path / "whole")


def stopped(folder: Path, config: Config) -> None:
    """A run that was stopped after the third batch, with a checkpoint after the second."""
    with pytest.raises(StopError):
        small_trainer(folder, config, observer=Stopper(3)).run()


def test_checkpoints_within_epochs_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = trainer_module.write_checkpoint

    def counted(*args: Any) -> None:
        written.append(args[2].batches)
        write(*args)

    monkeypatch.setattr(trainer_module, "write_checkpoint", counted)
    config = small_config(epochs=2, batch_size=4, average=0.9, exploration=1.0)
    small_trainer(tmp_path / "seldom", config).run()
    assert written == [0, 0, 0], "none within epochs of less than a quarter of an hour"
    written.clear()
    monkeypatch.setattr(trainer_module, "CHECKPOINT_SECONDS", 0.0)
    small_trainer(tmp_path / "often", config).run()
    assert written == [0, 1, 2, 3, 0, 1, 2, 3, 0], "one before everything, and no second one at the end of an epoch"
    assert_equal(tmp_path / "often", tmp_path / "seldom")


def test_a_checkpoint_is_written_when_the_last_one_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    clock = type("Clock", (), {"perf_counter": staticmethod(lambda: now)})

    class Slow(TrainingObserver):
        def batch_done(self, words: int, loss: float) -> None:
            nonlocal now
            now += 400.0

    written: list[tuple[int, float]] = []
    monkeypatch.setattr(trainer_module, "time", clock)
    monkeypatch.setattr(
        trainer_module, "write_checkpoint", lambda *args: written.append((args[2].batches, args[2].epoch_seconds))
    )
    small_trainer(tmp_path, small_config(epochs=1, batch_size=2), observer=Slow()).run()
    assert written == [(0, 0.0), (3, 1200.0), (6, 2400.0), (0, 0.0)]


@pytest.mark.usefixtures("often")
def test_the_time_before_a_stop_counts(tmp_path: Path) -> None:
    config = small_config(epochs=1, batch_size=4)
    stopped(tmp_path, config)
    observer = Stopper()
    trainer = small_trainer(tmp_path, config, observer=observer)
    trainer.resume()
    assert trainer.progress.batches == 2
    assert 0 < trainer.progress.epoch_seconds < 100
    trainer.progress.epoch_seconds += 1000
    trainer.run()
    [(words, seconds)] = observer.resumed
    assert 0 < words < sum(map(len, small_data()[0]))
    assert seconds > 1000
    [line] = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
    assert 1000 <= line["seconds"] < 1100
    assert line["words_per_s"] < 1


@pytest.mark.usefixtures("often")
def test_a_model_that_is_loaded_within_the_first_epoch_is_whole(tmp_path: Path) -> None:
    config = small_config(epochs=1, batch_size=4)
    stopped(tmp_path, config)
    before = (tmp_path / WEIGHTS).read_bytes()
    trainer = small_trainer(tmp_path, config, observer=Stopper(1))
    trainer.resume()
    with pytest.raises(StopError):
        trainer.run()
    assert (tmp_path / WEIGHTS).read_bytes() == before, "the model stays the one from the start until an epoch ends"
    assert Parser.load(tmp_path).config == config


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("change", ["settings", "data"])
def test_other_settings_and_data_are_refused_within_an_epoch(tmp_path: Path, change: str) -> None:
    config = small_config(epochs=2, batch_size=4)
    stopped(tmp_path, config)
    train, dev = small_data()
    make: Callable[..., Trainer] = partial(Trainer, config, train, dev, tmp_path)
    if change == "settings":
        make = partial(Trainer, small_config(epochs=3, batch_size=4), train, dev, tmp_path)
    else:
        train.pop()
    with pytest.raises(trainer_module.TrainingError, match=f"was made with other {change}"):
        make().resume()
