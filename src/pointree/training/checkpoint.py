"""A training run on disk: one file that is replaced as a whole after every epoch, so that it is never half written."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from pointree.config import Config
from pointree.errors import TrainingError
from pointree.files import atomic_write
from pointree.training.schedule import Plateau

__all__ = ["CHECKPOINT", "Progress", "read_checkpoint", "write_checkpoint"]

CHECKPOINT = "checkpoint.safetensors"


@dataclass(slots=True)
class Progress:
    """Where a run stands after a finished epoch."""

    epoch: int = 0
    step: int = 0
    best_las: float = -1.0
    best_epoch: int = 0
    seconds: float = 0.0
    plateau: Plateau = field(default_factory=Plateau)
    metrics: list[dict[str, Any]] = field(default_factory=list)


def write_checkpoint(folder: Path, tensors: dict[str, Tensor], progress: Progress, config: Config) -> None:
    """Replace the checkpoint."""
    metadata = {"progress": json.dumps(asdict(progress)), "config": json.dumps(config.to_dict())}
    data = save_tensors({name: tensor.contiguous() for name, tensor in tensors.items()}, metadata)
    with atomic_write(folder / CHECKPOINT, "b") as stream:
        stream.write(data)


def read_checkpoint(folder: Path, config: Config) -> tuple[dict[str, Tensor], Progress]:
    """Read the checkpoint of a run that had the same configuration."""
    path = folder / CHECKPOINT
    if not path.is_file():
        raise TrainingError(f"{folder}: nothing to resume, {CHECKPOINT} is missing")
    try:
        with safe_open(path, framework="pt") as stream:
            metadata = stream.metadata() or {}
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
        values = json.loads(metadata["progress"])
        recorded = json.loads(metadata["config"])
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise TrainingError(f"{path}: the checkpoint is damaged ({error})") from None
    if recorded != config.to_dict():
        different = [
            f"{section}.{key}"
            for section, fields in config.to_dict().items()
            for key, value in fields.items()
            if recorded.get(section, {}).get(key) != value
        ]
        raise TrainingError(f"{path}: was made with another configuration: {', '.join(different)} differ")
    return tensors, Progress(**{**values, "plateau": Plateau(**values["plateau"])})
