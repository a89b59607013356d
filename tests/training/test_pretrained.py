"""Training with a pretrained model: frozen weights stay, tuned ones move, and a resumed run is the same run."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import pointree
from pointree.config import Config, PretrainedConfig
from pointree.errors import ModelError, TrainingError
from pointree.models.layout import PRETRAINED, PRETRAINED_IDENTITY, WEIGHTS
from pointree.models.shrink import shrink_model
from pointree.models.wheel import write_wheel
from pointree.nn.pretrained_features import FrozenFeatures
from pointree.pretrained.cache_folder import CacheFolder
from pointree.training.checkpoint import CHECKPOINT
from pointree.training.observer import TrainingObserver
from pointree.training.trainer import Trainer

from ..pretrained.small_models import make_pretrained
from .runs import small_config, small_data, small_trainer

MODES: dict[str, dict[str, Any]] = {
    "frozen": {},
    "learned": {"mix": "learned"},
    "tuned": {"fine_tune": True, "learning_rate": 0.003, "warmup": 4},
    "layers": {"fine_tune": True, "fine_tune_table": False, "learning_rate": 0.003},
}
TUNED = {mode for mode, choices in MODES.items() if choices.get("fine_tune")}
WORDS = [["I", "like", "it"], ["Unbelievable", "!"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT."""
    return make_pretrained(tmp_path_factory.mktemp("encoders") / "tiny")


@pytest.fixture(scope="module")
def runs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trainer]:
    """A finished run of each mode."""
    root = tmp_path_factory.mktemp("runs")
    found = {mode: trainer_of(root / mode, folder, mode) for mode in MODES}
    for trainer in found.values():
        trainer.run()
    return found


def pretrained_config(folder: Path, mode: str, **training: Any) -> Config:
    config = small_config(epochs=2, **training)
    pretrained = PretrainedConfig(model=str(folder), layers=(1, 3), **MODES[mode])
    return replace(config, embeddings=replace(config.embeddings, pretrained=pretrained))


def trainer_of(output: Path, folder: Path, mode: str, **options: Any) -> Trainer:
    caches = CacheFolder(output.parent / "caches")
    return small_trainer(output, pretrained_config(folder, mode), caches=caches, **options)


def pretrained_weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    assert trainer.pretrained is not None
    return trainer.pretrained.model.model.state_dict()


@pytest.mark.parametrize("mode", MODES)
def test_frozen_weights_stay_and_tuned_ones_move(mode: str, folder: Path, runs: dict[str, Trainer]) -> None:
    before = load_file(folder / "model.safetensors")
    same = {name for name, tensor in pretrained_weights(runs[mode]).items() if tensor.equal(before[name])}
    assert (same == set(pretrained_weights(runs[mode]))) == (mode not in TUNED)
    if mode in TUNED:
        assert not any("attention" in name and "weight" in name for name in same)
        assert ("embeddings.word_embeddings.weight" in same) == (mode == "layers")


@pytest.mark.parametrize("mode", MODES)
def test_files_hold_the_model_only_if_it_was_tuned(mode: str, runs: dict[str, Trainer]) -> None:
    for name in (WEIGHTS, CHECKPOINT):
        held = any(".pretrained.model." in key for key in load_file(runs[mode].output / name))
        assert held == (mode in TUNED)
    identity = json.loads((runs[mode].output / PRETRAINED_IDENTITY).read_text())
    assert set(identity) == {"name", "sha256", "width", "n_layers"}
    assert (runs[mode].output / PRETRAINED).exists() == (mode in TUNED)


def test_the_mix_of_layers_is_learned(runs: dict[str, Trainer]) -> None:
    weights = load_file(runs["learned"].output / WEIGHTS)
    assert weights["embeddings.pretrained.mix.weights"].shape == (2,)
    assert weights["embeddings.pretrained.mix.weights"].any()


def test_a_fine_tuned_model_has_its_own_learning_rate_and_warm_up(folder: Path, tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path / "run", folder, "tuned")
    rates: list[tuple[float, float]] = []
    step = trainer.optimiser.step

    def record(rate: float, pretrained_rate: float) -> float:
        rates.append((rate, pretrained_rate))
        return step(rate, pretrained_rate)

    trainer.optimiser.step = record  # type: ignore[method-assign, assignment]
    trainer.run()
    assert len(rates) // 2 == 3  # to which the warm-up of four steps is cut
    assert [pretrained_rate for _, pretrained_rate in rates[:4]] == pytest.approx([0.001, 0.002, 0.003, 0.003])
    assert rates[0][0] == 0.02
    assert 0 < rates[-1][1] < 0.003


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_resumed_run_is_the_run_that_never_stopped(
    mode: str, folder: Path, runs: dict[str, Trainer], tmp_path: Path
) -> None:
    class StopError(Exception):
        pass

    class Stopper(TrainingObserver):
        def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
            self.epoch = epoch

        def batch_done(self, words: int, loss: float) -> None:
            if self.epoch == 2:
                raise StopError

        def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
            pass

    stopped = trainer_of(tmp_path / "run", folder, mode, observer=Stopper())
    with pytest.raises(StopError):
        stopped.run()
    resumed = trainer_of(tmp_path / "run", folder, mode)
    resumed.resume()
    resumed.run()
    for name in (WEIGHTS, CHECKPOINT):
        ended, expected = load_file(resumed.output / name), load_file(runs[mode].output / name)
        assert ended.keys() == expected.keys()
        assert all(ended[key].equal(expected[key]) for key in ended)


def test_a_run_is_not_resumed_with_another_model(folder: Path, runs: dict[str, Trainer], tmp_path: Path) -> None:
    output = shutil.copytree(runs["frozen"].output, tmp_path / "run")
    moved = folder.rename(folder.with_name("moved"))
    try:
        make_pretrained(folder, seed=1)
        with pytest.raises(TrainingError, match=r"was made with other data: encoder not as given now$"):
            trainer_of(output, folder, "frozen").resume()
    finally:
        shutil.rmtree(folder)
        moved.rename(folder)


@pytest.mark.parametrize("mode", MODES)
def test_a_loaded_parser_parses_as_the_trained_one(mode: str, runs: dict[str, Trainer], tmp_path: Path) -> None:
    trainer = runs[mode]
    loaded = pointree.load(trainer.output, engine="torch")
    trainer.network.load_state_dict(loaded.network.state_dict())
    trainer.network.eval()
    dev = small_data()[1]
    heads = [parsed.heads for parsed in loaded.parse(dev)]
    assert heads == [parsed.heads for parsed in trainer.parser.parse(dev)]
    loaded.save(tmp_path / "saved")
    assert [parsed.heads for parsed in pointree.load(tmp_path / "saved", precision="fp32").parse(dev)] == heads
    assert loaded.trace(WORDS[0]).heads == loaded.parse(WORDS)[0].heads


def without_the_model(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the pretrained model."""
    monkeypatch.setattr("pointree.pretrained.loading.find_pretrained", lambda name: str(tmp_path / "gone" / "tiny"))


def test_a_missing_and_another_model_are_one_line(
    folder: Path, runs: dict[str, Trainer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = runs["frozen"].output
    without_the_model(folder, monkeypatch, tmp_path)
    with pytest.raises(
        ModelError, match=r"frozen: pretrained model .*gone/tiny: no such folder; put one of its name into"
    ):
        pointree.load(folder)
    make_pretrained(tmp_path / "gone" / "tiny", seed=2)
    with pytest.raises(ModelError, match="expected the one that the parser was trained with"):
        pointree.load(folder)


def test_a_tuned_model_and_a_bundle_need_no_other_folder(
    folder: Path, runs: dict[str, Trainer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bundled = trainer_of(tmp_path / "bundled", folder, "frozen", bundle_pretrained=True)
    bundled.run()
    expected = [parsed.heads for parsed in pointree.load(runs["frozen"].output, precision="fp32").parse(WORDS)]
    without_the_model(folder, monkeypatch, tmp_path)
    assert [parsed.heads for parsed in pointree.load(bundled.output, precision="fp32").parse(WORDS)] == expected
    assert pointree.load(runs["tuned"].output, precision="fp32").parse(WORDS)


@pytest.mark.parametrize("mode", ["frozen", "tuned"])
def test_shrunk_models_and_wheels_carry_what_they_had(mode: str, runs: dict[str, Trainer], tmp_path: Path) -> None:
    shrink_model(runs[mode].output, tmp_path / "small", bits=16)
    assert pointree.load(tmp_path / "small", precision="fp32").parse(WORDS)
    wheel = write_wheel(tmp_path / "small", tmp_path, name="tiny", version="1.0")
    shutil.unpack_archive(wheel, tmp_path / "unpacked", "zip")
    assert pointree.load(tmp_path / "unpacked" / "pointree_model_tiny", precision="fp32").parse(WORDS)


def test_features_are_computed_once(folder: Path, runs: dict[str, Trainer]) -> None:
    told: list[tuple[int, int]] = []

    class Told(TrainingObserver):
        def features_computed(self, done: int, total: int) -> None:
            told.append((done, total))

    output = runs["frozen"].output.with_name("again")
    trainer = trainer_of(output, folder, "frozen", observer=Told())
    trainer.run()
    assert not told
    assert isinstance(trainer.pretrained, FrozenFeatures)
    assert load_file(output / WEIGHTS)["arcs.bias"].equal(load_file(runs["frozen"].output / WEIGHTS)["arcs.bias"])
