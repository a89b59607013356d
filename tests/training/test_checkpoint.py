"""Checkpoints: whole or not at all."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from pointree.config import Config
from pointree.errors import OutputError, TrainingError
from pointree.training.checkpoint import CHECKPOINT, RunState, read_checkpoint, write_checkpoint
from pointree.training.schedule import Plateau

DATA = {"train": "1", "dev": "2", "vectors": "3"}
TENSORS = {"weights/a": torch.arange(6.0).view(2, 3), "optimiser/a/step": torch.tensor(7.0)}
PROGRESS = RunState(
    epoch=2,
    step=34,
    best_las=71.5,
    best_epoch=1,
    seconds=3.25,
    plateau=Plateau(0.75, 1),
    metrics=[{"epoch": 1, "dev_las": 71.5}, {"epoch": 2, "dev_las": 71.0}],
)


def write(folder: Path, progress: RunState = PROGRESS) -> None:
    write_checkpoint(folder, TENSORS, progress, Config(), DATA)


def test_a_checkpoint_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path)
    tensors, progress = read_checkpoint(tmp_path, Config(), DATA)
    assert progress == PROGRESS
    assert tensors.keys() == TENSORS.keys()
    assert all(tensors[name].equal(tensor) and tensors[name].dtype == tensor.dtype for name, tensor in TENSORS.items())
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_a_checkpoint_within_an_epoch_says_how_far_it_is(tmp_path: Path) -> None:
    within = replace(PROGRESS, batches=12, epoch_seconds=901.5)
    write(tmp_path, within)
    assert read_checkpoint(tmp_path, Config(), DATA)[1] == within


def test_a_checkpoint_from_before_there_were_any_within_epochs_is_read(tmp_path: Path) -> None:
    write(tmp_path)
    with safe_open(tmp_path / CHECKPOINT, framework="pt") as stream:
        metadata = stream.metadata()
    progress = json.loads(metadata["progress"])
    del progress["batches"], progress["epoch_seconds"]
    save_file(TENSORS, tmp_path / CHECKPOINT, {**metadata, "progress": json.dumps(progress)})
    assert read_checkpoint(tmp_path, Config(), DATA)[1] == PROGRESS


def full_disk(*_args: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    monkeypatch.setattr(os, "fsync", full_disk)
    message = rf"^{tmp_path / CHECKPOINT}: cannot be written: No space left on device$"
    with pytest.raises(OutputError, match=message):
        write(tmp_path, RunState(epoch=3))
    assert read_checkpoint(tmp_path, Config(), DATA)[1] == PROGRESS
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_a_write_that_fails_in_its_middle_leaves_the_old_checkpoint(tmp_path: Path) -> None:
    """The system itself refuses here: files may have 100 bytes."""
    resource = pytest.importorskip("resource", reason="the system has no limits")
    write(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OutputError, match=rf"{CHECKPOINT}: cannot be written: File too large$"):
            write(tmp_path, RunState(epoch=3))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert read_checkpoint(tmp_path, Config(), DATA)[1] == PROGRESS
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=rf"^{tmp_path}: nothing to resume, {CHECKPOINT} is missing$"):
        read_checkpoint(tmp_path, Config(), DATA)


@pytest.mark.parametrize("damage", ["empty", "cut off", "no metadata", "not a file of tensors"])
def test_a_damaged_checkpoint_is_told(tmp_path: Path, damage: str) -> None:
    write(tmp_path)
    path = tmp_path / CHECKPOINT
    if damage == "no metadata":
        save_file(TENSORS, path)
    else:
        content = {"empty": b"", "cut off": path.read_bytes()[:-4], "not a file of tensors": b"PK" * 50}[damage]
        path.write_bytes(content)
    with pytest.raises(TrainingError, match=rf"^{path}: the checkpoint is damaged \(") as error:
        read_checkpoint(tmp_path, Config(), DATA)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"training": {"seed": 2}}, "training.seed was 1, is 2"),
        (
            {"decoder": {"order": "outside-in"}, "training": {"epochs": 1}},
            "decoder.order was left-to-right, is outside-in, training.epochs was 500, is 1",
        ),
    ],
)
def test_differing_settings_are_listed(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    write(tmp_path)
    with pytest.raises(TrainingError, match=rf"{CHECKPOINT}: was made with other settings: {message}$"):
        read_checkpoint(tmp_path, Config.from_dict(changes), DATA)


def test_an_option_that_is_new_since_counts_as_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = Config().to_dict()
    del recorded["training"]["exploration"]
    with monkeypatch.context() as patch:
        patch.setattr(Config, "to_dict", lambda self: recorded)
        write(tmp_path)
    assert read_checkpoint(tmp_path, Config(), DATA)[1] == PROGRESS
    explored = Config.from_dict({"training": {"exploration": 0.5}})
    with pytest.raises(TrainingError, match=r"other settings: training.exploration was 0.0, is 0.5$"):
        read_checkpoint(tmp_path, explored, DATA)
    pretrained = Config.from_dict({"embeddings": {"pretrained": {"model": "bert"}}})
    with pytest.raises(TrainingError, match=r"other settings: embeddings.pretrained.model was , is bert$"):
        read_checkpoint(tmp_path, pretrained, DATA)


def test_a_setting_that_nobody_knows_counts_as_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Config, "to_dict", lambda self: {"decoder": {"size": 512, "old": 1}})
        write(tmp_path)
        patch.setattr(Config, "to_dict", lambda self: {"decoder": {"size": 512, "new": 2}})
        with pytest.raises(TrainingError, match=r"decoder.old was 1, is unknown, decoder.new was unknown, is 2$"):
            read_checkpoint(tmp_path, Config(), DATA)


def test_a_run_that_minimised_another_loss_does_not_go_on(tmp_path: Path) -> None:
    write(tmp_path)
    with safe_open(tmp_path / CHECKPOINT, framework="pt") as stream:
        metadata = {name: value for name, value in stream.metadata().items() if name != "objective"}
        tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
    save_file(tensors, tmp_path / CHECKPOINT, metadata)
    with pytest.raises(TrainingError, match="was made by an earlier version, which minimised another loss"):
        read_checkpoint(tmp_path, Config(), DATA)


def test_differing_data_are_listed(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(TrainingError, match=r"was made with other data: train, vectors not as given now$"):
        read_checkpoint(tmp_path, Config(), {"train": "x", "dev": "2", "vectors": "x"})


LENGTHS = {
    "a plateau that may last longer": ({"schedule": "plateau", "epochs": 12}, 5, {"schedule": "plateau", "epochs": 24}),
    "a plateau that ends where it is": ({"schedule": "plateau", "epochs": 12}, 5, {"schedule": "plateau", "epochs": 5}),
    "nothing trained yet": ({"epochs": 12}, 0, {"epochs": 9}),
}
OTHER_LENGTHS = {
    "a longer fall": ({"epochs": 12}, 5, {"epochs": 24}),
    "a shorter fall": ({"epochs": 12}, 5, {"epochs": 9}),
    "a plateau of fewer epochs than trained": (
        {"schedule": "plateau", "epochs": 12},
        12,
        {"schedule": "plateau", "epochs": 9},
    ),
    "a warm-up that the length may cut": (
        {"schedule": "plateau", "epochs": 12, "warmup": 9},
        5,
        {"schedule": "plateau", "epochs": 24, "warmup": 9},
    ),
}


def reread(folder: Path, before: dict[str, Any], epoch: int, now: dict[str, Any]) -> RunState:
    """Read the checkpoint of a run with other settings of training."""
    old, new = (Config.from_dict({"training": {"schedule": "linear", **each}}) for each in (before, now))
    write_checkpoint(folder, TENSORS, RunState(epoch=epoch), old, DATA)
    return read_checkpoint(folder, new, DATA)[1]


@pytest.mark.parametrize("name", LENGTHS)
def test_the_length_of_a_run_may_change_where_the_past_stays_the_same(tmp_path: Path, name: str) -> None:
    assert reread(tmp_path, *LENGTHS[name]) == RunState(epoch=LENGTHS[name][1])


@pytest.mark.parametrize("name", OTHER_LENGTHS)
def test_the_length_of_a_run_may_not_change_its_past(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrainingError, match="was made with other settings: training"):
        reread(tmp_path, *OTHER_LENGTHS[name])


def test_the_rates_of_an_unfinished_epoch_are_past_too(tmp_path: Path) -> None:
    config = Config.from_dict({"training": {"schedule": "linear", "epochs": 12}})
    write_checkpoint(tmp_path, TENSORS, RunState(batches=1), config, DATA)
    with pytest.raises(TrainingError, match=r"training.epochs was 12, is 24"):
        read_checkpoint(tmp_path, Config.from_dict({"training": {"schedule": "linear", "epochs": 24}}), DATA)


def test_the_length_may_not_cut_a_past_warm_up_of_the_encoder_either(tmp_path: Path) -> None:
    warming = {"embeddings": {"pretrained": {"warmup": 9}}}
    shorter, longer = (Config.from_dict({**warming, "training": {"epochs": epochs}}) for epochs in (12, 24))
    write_checkpoint(tmp_path, TENSORS, RunState(epoch=5), shorter, DATA)
    with pytest.raises(TrainingError, match=r"training.epochs was 12, is 24; to train a finished"):
        read_checkpoint(tmp_path, longer, DATA)


def test_a_run_that_should_be_longer_is_told_how(tmp_path: Path) -> None:
    hint = r"training.epochs was 24, is 30; .* start a new run with it as the initial model$"
    with pytest.raises(TrainingError, match=hint):
        reread(tmp_path, {"epochs": 24}, 24, {"epochs": 30})
    with pytest.raises(TrainingError, match=r"training.epochs was 24, is 30, training.seed was 1, is 2$"):
        reread(tmp_path, {"epochs": 24}, 24, {"epochs": 30, "seed": 2})
    with pytest.raises(TrainingError, match=r"training.epochs was 24, is 20$"):
        reread(tmp_path, {"epochs": 24}, 24, {"epochs": 20})


def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch, config: dict[str, Any]) -> None:
    """Write a checkpoint as a version with these settings did."""
    with monkeypatch.context() as patch:
        patch.setattr(Config, "to_dict", lambda self: config)
        old = {
            "weights/embeddings.contextual.encoder.model.x": torch.ones(1),
            "average/embeddings.contextual.mix.w": torch.ones(2),
        }
        write_checkpoint(folder, old, PROGRESS, Config(), DATA)


def test_old_names_and_removed_settings_at_their_defaults_are_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config.from_dict({"embeddings": {"pretrained": {"model": "bert"}}})
    old = config.to_dict()
    old["embeddings"]["contextual"] = old["embeddings"].pop("pretrained")
    old["training"] |= {"rest": 0.0, "restarts": [], "embedding_dropout_stage": 1, "tag_weight": 1.0}
    recorded(tmp_path, monkeypatch, old)
    tensors, progress = read_checkpoint(tmp_path, config, DATA)
    assert progress == PROGRESS
    assert tensors.keys() == {
        "weights/embeddings.pretrained.model.model.x",
        "average/embeddings.pretrained.mix.w",
        "average/step",
    }
    assert int(tensors["average/step"]) == PROGRESS.step


def test_a_removed_setting_that_had_an_effect_is_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Config().to_dict()
    old["training"] |= {"rest": 0.5, "restarts": []}
    recorded(tmp_path, monkeypatch, old)
    with pytest.raises(TrainingError, match=r"other settings: training.rest was 0.5, is unknown$"):
        read_checkpoint(tmp_path, Config(), DATA)
