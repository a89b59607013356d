"""A bulk job: what it is to do, and the files of its output folder.

part-00042.conllu   a shard: the trees of one unit, there as a whole or not at all
manifest.json       the model with its hash, the options, the input, and how much is done
failed.jsonl        one line a document that is not in the output, with the reason
shards.jsonl        one line a shard: sentences, words
.work/              while the job goes on: the plan, and what is known of shards that are done
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pointree.bulk.plan import Unit
from pointree.models.layout import CARD, MODEL_FILES
from pointree.models.registry import resolve_model
from pointree.options import ParseOptions

__all__ = ["SHARD_FORMATS", "BulkJob", "absolute_models", "model_hash"]

SHARD_FORMATS = ("conllu", "jsonl", "parquet")
"""Formats of shards."""


@dataclass(frozen=True, slots=True)
class BulkJob:
    """Everything that an actor has to know.

    Attributes:
        output: The folder of the shards, which every node must be able to write.
        models: Names or folders of the models; several parse together.
        model_hashes: What tells that a node has the same models.
        options: How to parse.
        format: One of `SHARD_FORMATS`.
        digits: Digits of the number in the name of a shard.
        text_column: The column of tables that has the text.
        threads: CPU threads of each actor.
        device: Where to compute.
        engine: What computes.
    """

    output: Path
    models: tuple[str, ...]
    model_hashes: tuple[str, ...]
    options: ParseOptions
    format: str = "conllu"
    digits: int = 5
    text_column: str = "text"
    threads: int = 1
    device: str = "cpu"
    engine: str = "auto"

    @property
    def work(self) -> Path:
        """The folder of what is needed until the job is done."""
        return self.output / ".work"

    @property
    def plan(self) -> Path:
        """The file of all units."""
        return self.work / "plan.jsonl"

    def shard(self, number: int) -> Path:
        """The shard of a unit."""
        return self.output / f"part-{number:0{self.digits}}.{self.format}"

    def report(self, number: int) -> Path:
        """What is known of a shard that is done."""
        return self.work / "done" / f"{number:0{self.digits}}.json"

    def describe(self, unit: Unit) -> str:
        """A unit for messages: its shard, and where it begins."""
        return f"{self.shard(unit.number).name} (from {unit.pieces[0].source.title}:{unit.pieces[0].line})"


def model_hash(model: str) -> str:
    """A hash of all files of a model that its trees depend on."""
    folder = resolve_model(model)
    digest = hashlib.sha256()
    names = {path for pattern in MODEL_FILES for path in folder.glob(pattern) if path.is_file()}
    for path in sorted(names):
        if path.name != CARD and not path.name.startswith("LICEN"):
            with path.open("rb") as stream:
                content = hashlib.file_digest(stream, "sha256").hexdigest()
            digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def absolute_models(models: Sequence[str]) -> tuple[str, ...]:
    """Models as other processes find them: names as they are, folders by their absolute path."""
    return tuple(str(Path(model).absolute()) if Path(model).is_dir() else model for model in models)
