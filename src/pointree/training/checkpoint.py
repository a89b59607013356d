"""A training run on disk: one file that is replaced as a whole after every epoch, so that it is never half written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from pointree.config import Config, defaults
from pointree.config.rules import as_toml
from pointree.errors import TrainingError
from pointree.files import atomic_write
from pointree.models.layout import CHECKPOINT
from pointree.training.schedule import Plateau

__all__ = ["RunState", "read_checkpoint", "write_checkpoint"]

_OBJECTIVE = "loss of an average word"
"""What is minimised; a run that began with another one cannot go on."""
_LENGTH = ("training.epochs", "training.restarts")


@dataclass(slots=True)
class RunState:
    """Where a run stands after a finished epoch."""

    epoch: int = 0
    step: int = 0
    best_las: float = -1.0
    best_epoch: int = 0
    seconds: float = 0.0
    plateau: Plateau = field(default_factory=Plateau)
    metrics: list[dict[str, Any]] = field(default_factory=list)


def write_checkpoint(
    folder: Path, tensors: dict[str, Tensor], progress: RunState, config: Config, data: Mapping[str, str]
) -> None:
    """Replace the checkpoint; `data` are the fingerprints of what the run learns from."""
    parts = {"progress": asdict(progress), "config": config.to_dict(), "data": dict(data), "objective": _OBJECTIVE}
    metadata = {name: json.dumps(part) for name, part in parts.items()}
    with atomic_write(folder / CHECKPOINT, "b") as stream:
        stream.write(save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata))


def read_checkpoint(folder: Path, config: Config, data: Mapping[str, str]) -> tuple[dict[str, Tensor], RunState]:
    """Read the checkpoint of a run that had the same data and configuration, but for epochs that are still to come."""
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
    progress = RunState(**{**values, "plateau": Plateau(**values["plateau"])})
    if different := _differences(recorded_config, config.to_dict(), progress.epoch):
        raise TrainingError(f"{path}: was made with other settings: {', '.join(different)}")
    if other := [name for name, recorded in recorded_data.items() if data[name] != recorded]:
        raise TrainingError(f"{path}: was made with other data: {', '.join(other)} not as given now")
    return tensors, progress


def _differences(recorded: Mapping[str, Any], given: Mapping[str, Any], epoch: int) -> list[str]:
    """The fields of two configurations that differ, each with both of its values.

    The length of a run is no difference as long as its epochs up to this one do not depend on it.
    """
    # A field that did not exist when the run began had the effect that its default has now.
    before, now = ({**defaults(), **_fields(config)} for config in (recorded, given))
    different = [
        name for name in {**before, **now} if name not in before or name not in now or before[name] != now[name]
    ]
    if _past_falls(epoch, before) == _past_falls(epoch, now):
        different = [name for name in different if name not in _LENGTH]
    found = [f"{name} was {before.get(name, 'unknown')}, is {now.get(name, 'unknown')}" for name in different]
    is_longer = before["training.epochs"] < now["training.epochs"] and now["training.schedule"] != "plateau"
    if found and is_longer and set(different) <= set(_LENGTH):
        falls = [*before["training.restarts"], before["training.epochs"]]
        found[-1] += f"; to train on, add training.restarts={as_toml(falls)}"
    return found


def _past_falls(epoch: int, fields: Mapping[str, Any]) -> list[int]:
    """The ends of the falls of the learning rate on which the epochs up to this one depend."""
    falls = [*fields["training.restarts"], fields["training.epochs"]]
    past = sum(end < epoch for end in falls)
    warmups = (fields["training.warmup"], fields["embeddings.pretrained.warmup"])
    is_constant = fields["training.schedule"] == "plateau" and not any(warmups)
    return falls[:past] if epoch == 0 or is_constant else falls[: past + 1]


def _fields(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The fields of all sections, and of those within them, by their dotted names."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        found |= _fields(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return found
