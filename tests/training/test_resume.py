"""A run that is killed at any moment and resumed ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file

import pointree
from pointree.errors import TrainingError
from pointree.parser import Parser
from pointree.training.checkpoint import CHECKPOINT
from pointree.training.trainer import METRICS, Trainer
from pointree.vocabulary.vectors import Vectors

from . import runs
from .runs import MOMENTS, small_config, small_data, small_trainer

SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {"schedule": "linear"},
    "linear averaged": {"schedule": "linear", "average": 0.9},
    "explored": {"schedule": "linear", "exploration": 0.7},
    "heads": {"schedule": "linear", "average": 0.9, "heads": True},
    "plateau": {"schedule": "plateau", "patience": 1, "learning_rate": 0.2},
    "plateau explored": {"schedule": "plateau", "patience": 1, "learning_rate": 0.2, "exploration": 1.0},
    "plateau averaged": {"schedule": "plateau", "patience": 1, "learning_rate": 0.2, "average": 0.9},
}
CASES = [(name, moment) for name in ("linear", "plateau averaged") for moment in MOMENTS]
CASES += [("linear averaged", MOMENTS[1]), ("explored", MOMENTS[1]), ("plateau explored", MOMENTS[5])]
CASES += [("heads", MOMENTS[1]), ("heads", MOMENTS[5])]
CASES += [(name, moment) for name in ("linear averaged", "plateau explored", "heads") for moment in MOMENTS[6:]]
CASES += [("plateau", MOMENTS[3]), ("plateau", MOMENTS[5])]

TIMES = {"words_per_s", "seconds"}


def metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics, but for the times."""
    lines = (folder / METRICS).read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in lines]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a run with these settings that nobody disturbed."""
    root, done = tmp_path_factory.mktemp("uninterrupted"), set[str]()

    def folder(name: str) -> Path:
        if name not in done:
            small_trainer(root / name, small_config(**SETTINGS[name])).run()
            done.add(name)
        return root / name

    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The folders of all runs that were killed."""
    root = tmp_path_factory.mktemp("killed")
    folders = {case: root / f"{number}" for number, case in enumerate(CASES)}
    cases = [[str(folder), SETTINGS[name], moment] for (name, moment), folder in folders.items()]
    environment = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, runs.__file__], input=json.dumps(cases), text=True, check=True, env=environment)
    return folders


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.parametrize(("name", "moment"), CASES)
def test_a_killed_run_resumed_is_the_run_that_was_never_killed(
    name: str, moment: str, killed: dict[tuple[str, str], Path], uninterrupted: Callable[[str], Path]
) -> None:
    folder, expected = killed[name, moment], uninterrupted(name)
    half_written = list(folder.glob(".*.tmp"))
    assert bool(half_written) == moment.startswith("while a checkpoint is written")
    trainer = small_trainer(folder, small_config(**SETTINGS[name]))
    trainer.resume()
    finished = {MOMENTS[0]: 0, MOMENTS[4]: 3, MOMENTS[5]: 3}.get(moment, 2)
    assert (trainer.progress.epoch, trainer.progress.batches) == (finished, int(moment in MOMENTS[6:]))
    trainer.run()
    assert (folder / "weights.safetensors").read_bytes() == (expected / "weights.safetensors").read_bytes()
    assert metrics(folder) == metrics(expected)
    ended, should_end = load_file(folder / CHECKPOINT), load_file(expected / CHECKPOINT)
    assert ended.keys() == should_end.keys()
    assert all(ended[key].equal(should_end[key]) for key in ended)
    assert {path.name for path in folder.iterdir()} == {path.name for path in expected.iterdir()}


@pytest.mark.slow
def test_the_plateaus_above_restart_before_their_end(uninterrupted: Callable[[str], Path]) -> None:
    for name in ("plateau", "plateau averaged", "plateau explored"):
        rates = [line["learning_rate"] for line in metrics(uninterrupted(name))]
        assert rates[-1] < rates[0]


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_finished_run_resumed_changes_nothing(uninterrupted: Callable[[str], Path]) -> None:
    folder = uninterrupted("linear")
    before = _contents(folder)
    trainer = small_trainer(folder, small_config(**SETTINGS["linear"]))
    trainer.resume()
    trainer.run()
    assert _contents(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize("las", [-1.0, 100.0])
def test_a_plateau_that_may_last_longer_goes_on(tmp_path: Path, las: float) -> None:
    """Its card is new even if no epoch is better."""
    settings = {"schedule": "plateau", "average": 0.9, "exploration": 0.7}
    small_trainer(tmp_path / "long", small_config(**settings, epochs=4)).run()
    small_trainer(tmp_path / "short", small_config(**settings, epochs=3), card=lambda _: "of 3").run()
    trainer = small_trainer(tmp_path / "short", small_config(**settings, epochs=4), card=lambda _: "of 4")
    trainer.resume()
    trainer.progress.best_las = max(trainer.progress.best_las, las)
    trainer.run()
    assert metrics(tmp_path / "short") == metrics(tmp_path / "long")
    assert (tmp_path / "short" / "README.md").read_text(encoding="utf-8") == "of 4"
    assert Parser.load(tmp_path / "short").config.training.epochs == 4


def test_other_settings_are_named_with_both_values(uninterrupted: Callable[[str], Path]) -> None:
    trainer = small_trainer(uninterrupted("linear"), small_config(schedule="cosine", seed=2))
    message = "was made with other settings: training.schedule was linear, is cosine, training.seed was 1, is 2$"
    with pytest.raises(TrainingError, match=message):
        trainer.resume()


@pytest.mark.parametrize("changed", ["train", "dev", "vectors"])
def test_other_data_are_named(changed: str, uninterrupted: Callable[[str], Path]) -> None:
    """Even where the shapes of all weights stay the same."""
    train, dev = small_data()
    vectors = Vectors(["the"], np.ones((1, 8), dtype=np.float32)) if changed == "vectors" else None
    if changed != "vectors":
        sentence = (train if changed == "train" else dev)[-1]
        sentence.words[0].head, sentence.words[1].head = sentence.words[1].head, sentence.words[0].head
    trainer = Trainer(small_config(), train, dev, uninterrupted("linear"), vectors)
    with pytest.raises(TrainingError, match=f"was made with other data: {changed} not as given now$"):
        trainer.resume()
