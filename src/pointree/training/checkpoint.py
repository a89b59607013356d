"""A training run on disk: one file that is replaced as a whole, so that it is never half written.

That happens after every epoch and, because an epoch over millions of words takes hours, every few minutes within one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from pointree.config import Config, defaults, flat_settings
from pointree.config.old_settings import upgrade
from pointree.errors import TrainingError
from pointree.files import atomic_write
from pointree.models.folder import upgrade_names
from pointree.models.layout import CHECKPOINT
from pointree.training.schedule import Plateau

__all__ = ["CHECKPOINT_SECONDS", "RunState", "read_checkpoint", "write_checkpoint"]

CHECKPOINT_SECONDS = 15 * 60.0
"""How long an epoch goes on without a checkpoint: the most that is lost when a run is killed."""

_OBJECTIVE = "loss of an average word"
"""What is minimised; a run that began with another one cannot go on."""


@dataclass(slots=True)
class RunState:
    """Where a run stands."""

    epoch: int = 0
    """How many epochs are finished."""
    step: int = 0
    best_las: float = -1.0
    best_score: float = -1.0
    """By the metric that chooses the best epoch, which may be LAS itself."""
    best_epoch: int = 0
    seconds: float = 0.0
    """The time of all finished epochs."""
    plateau: Plateau = field(default_factory=Plateau)
    metrics: list[dict[str, Any]] = field(default_factory=list)
    order_las: dict[str, float] = field(default_factory=dict)
    """The LAS on dev of each order on its own, in a finished run of a model that has several."""
    batches: int = 0
    """How many batches of an unfinished epoch are learned, at a checkpoint within it."""
    epoch_seconds: float = 0.0
    """The time that they took."""


def write_checkpoint(
    folder: Path, tensors: dict[str, Tensor], progress: RunState, config: Config, data: Mapping[str, str]
) -> None:
    """Replace the checkpoint; `data` are the fingerprints of what the run learns from."""
    parts = {"progress": asdict(progress), "config": config.to_dict(), "data": dict(data), "objective": _OBJECTIVE}
    metadata = {name: json.dumps(part) for name, part in parts.items()}
    with atomic_write(folder / CHECKPOINT, "b") as stream:
        stream.write(save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata))


def read_checkpoint(folder: Path, config: Config, data: Mapping[str, str]) -> tuple[dict[str, Tensor], RunState]:
    """Read the checkpoint of a run that had the same data and configuration, but for epochs that are still to come.

    A checkpoint of an earlier version has the names of its time; they are brought up to date.
    """
    path = folder / CHECKPOINT
    if not path.is_file():
        raise TrainingError(f"{folder}: nothing to resume, {CHECKPOINT} is missing")
    try:
        with safe_open(path, framework="pt") as stream:
            metadata = stream.metadata() or {}
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
        values = json.loads(metadata["progress"])
        # A checkpoint from before there were fingerprints has none, and is trusted.
        recorded_config, recorded_data = json.loads(metadata["config"]), json.loads(metadata.get("data", "{}"))
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise TrainingError(f"{path}: the checkpoint is damaged ({error})") from None
    if json.loads(metadata.get("objective", "null")) != _OBJECTIVE:
        raise TrainingError(f"{path}: was made by an earlier version, which minimised another loss; start a new run")
    values.setdefault("best_score", values["best_las"])  # before there was a choice, LAS decided
    progress = RunState(**{**values, "plateau": Plateau(**values["plateau"])})
    tensors = upgrade_names(tensors)
    if any(name.startswith("average/") for name in tensors):
        tensors.setdefault("average/step", torch.tensor(progress.step))  # version 0.1 did not write it
    begun = progress.epoch + (progress.batches > 0)
    if different := _differences(recorded_config, config.to_dict(), begun):
        raise TrainingError(f"{path}: was made with other settings: {', '.join(different)}")
    if other := [
        name for name in {**data, **recorded_data} if recorded_data and data.get(name) != recorded_data.get(name)
    ]:
        raise TrainingError(f"{path}: was made with other data: {', '.join(other)} not as given now")
    return tensors, progress


def _differences(recorded: Mapping[str, Any], given: Mapping[str, Any], epoch: int) -> list[str]:
    """The fields of two configurations that differ, each with both of its values.

    The number of epochs is no difference as long as the epochs up to this one, the last that has begun, do not depend
    on it.
    """
    upgraded = upgrade(recorded)
    # A field that did not exist when the run began had the effect that its default has now.
    before = {**defaults(), **dict(flat_settings(upgraded.settings)), **upgraded.removed}
    now = {**defaults(), **dict(flat_settings(given))}
    names = [name for name in {**before, **now} if name not in before or name not in now or before[name] != now[name]]
    if not _depends_on_epochs(before, epoch) and now["training.epochs"] >= epoch:
        names = [name for name in names if name != "training.epochs"]
    found = [f"{name} was {before.get(name, 'unknown')}, is {now.get(name, 'unknown')}" for name in names]
    if names == ["training.epochs"] and before["training.epochs"] < now["training.epochs"]:
        found[0] += "; to train a finished model further, start a new run with it as the initial model"
    return found


def _depends_on_epochs(fields: Mapping[str, Any], epoch: int) -> bool:
    """Whether the learning rates up to an epoch depend on how many there will be."""
    warmups = (fields["training.warmup"], fields["embeddings.pretrained.warmup"])
    return epoch > 0 and (fields["training.schedule"] != "plateau" or any(warmups))
