"""Small training runs; as a program, runs that are killed at a moment of their own choice.

The program reads a JSON list of `[folder, settings, moment]` from standard input and gives each a forked process,
so that torch is imported once for all of them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from pointree.config import Config
from pointree.training import checkpoint
from pointree.training import trainer as trainer_module
from pointree.training.observer import TrainingObserver
from pointree.training.trainer import Trainer
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence

EWT = Path(__file__).resolve().parents[1] / "fixtures" / "ewt.conllu"

SIZES: dict[str, dict[str, Any]] = {
    "embeddings": {"word_size": 8, "char_size": 6, "char_filters": 6, "tag_size": 6, "min_count": 1},
    "encoder": {"size": 8, "layers": 1},
    "decoder": {"size": 8},
    "scorers": {"arc_size": 8, "label_size": 8},
}

MOMENTS = (
    "in the first epoch",
    "in the middle of an epoch",
    "between the best weights and the checkpoint",
    "while a checkpoint is written",
    "between the checkpoint and the metrics",
    "after an epoch",
    "after a checkpoint within an epoch",
    "while a checkpoint is written within an epoch",
)
KILLED_EPOCH = 3


HEADS: dict[str, dict[str, Any]] = {
    "embeddings": {**SIZES["embeddings"], "tag": "none"},
    "heads": {"upos": True, "xpos": True, "feats": True, "lemma": True},
}


def small_config(*, heads: bool = False, **training: Any) -> Config:
    """A configuration that learns something in half a second; with ``heads``, to predict columns too."""
    settings = {"batch_size": 6, "epochs": 5, "schedule": "linear", "learning_rate": 0.02, **training}
    return Config.from_dict({**SIZES, **(HEADS if heads else {}), "training": settings})


def small_data() -> tuple[list[Sentence], list[Sentence]]:
    """Sentences to train on, and others to choose the best epoch with."""
    by_length = sorted(read_conllu(EWT), key=len)
    return by_length[:30:2], by_length[1:30:2]


def small_trainer(output: Path, config: Config, **options: Any) -> Trainer:
    """A run over the small data."""
    train, dev = small_data()
    return Trainer(config, train, dev, output, **options)


def die(*_args: object) -> NoReturn:
    """Leave as a machine that loses its power."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")


class Killer(TrainingObserver):
    """An observer that kills the process at its moment, in the first or in the third epoch."""

    def __init__(self, moment: str) -> None:
        self.moment = moment
        self.epoch = 0
        self.batches = 0
        self.trainer: Trainer | None = None
        if moment.endswith("within an epoch"):
            trainer_module.CHECKPOINT_SECONDS = 0.0

    def epoch_started(self, epoch: int, epochs: int, words: int) -> None:
        self.epoch, self.batches = epoch, 0
        if epoch == KILLED_EPOCH and self.trainer is not None:
            if self.moment == "between the best weights and the checkpoint":
                self.trainer._write_checkpoint = die  # type: ignore[method-assign]
            elif self.moment == "while a checkpoint is written":
                checkpoint.atomic_write = half_written  # type: ignore[assignment]
            elif self.moment == "between the checkpoint and the metrics":
                self.trainer._write_metrics = die  # type: ignore[method-assign]

    def batch_done(self, words: int, loss: float) -> None:
        self.batches += 1
        first = self.moment == "in the first epoch"
        if self.epoch != (1 if first else KILLED_EPOCH) or self.batches != 2:
            return
        if self.moment == "while a checkpoint is written within an epoch":
            checkpoint.atomic_write = half_written  # type: ignore[assignment]
        elif first or self.moment in ("in the middle of an epoch", "after a checkpoint within an epoch"):
            die()

    def epoch_ended(self, metrics: dict[str, Any], improved: bool) -> None:
        if self.epoch == KILLED_EPOCH and self.moment == "after an epoch":
            die()


_atomic_write = checkpoint.atomic_write


@contextmanager
def half_written(path: Path, mode: Any) -> Iterator[Any]:
    """A file of which half reaches the disk before the end."""

    class Half:
        def write(self, data: bytes) -> None:
            stream.write(data[: len(data) // 2])
            stream.flush()
            die()

    with _atomic_write(path, mode) as stream:
        yield Half()


def main() -> None:
    """Run every case in a process of its own, which must die."""
    with tempfile.TemporaryDirectory() as folder:  # what torch does once, it then does not do in every process
        small_trainer(Path(folder), small_config(epochs=1)).run()
    for folder, settings, moment in json.load(sys.stdin):
        child = os.fork()
        if child == 0:
            killer = Killer(moment)
            killer.trainer = small_trainer(Path(folder), small_config(**settings), observer=killer)
            killer.trainer.run()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            sys.exit(f"{folder}: expected a killed process, found status {status}")


if __name__ == "__main__":
    main()
