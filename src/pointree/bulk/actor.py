"""What runs on the nodes: an actor that loads the model once and makes one shard after another."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pointree.bulk.job import BulkJob, model_hash
from pointree.bulk.plan import Unit
from pointree.errors import PointreeError, UsageError
from pointree.version import __version__

__all__ = ["ShardActor"]


class ShardActor:
    """A callable class for `Dataset.map_batches`: units in, one row about each shard out.

    Faults are returned and not raised: an exception would look to Ray like a node that broke down, and be retried.
    """

    def __init__(self, job: BulkJob, version: str) -> None:
        self.job = job
        self.fault = ""
        try:
            self._load(version)
        except PointreeError as error:
            self.fault = str(error)

    def _load(self, version: str) -> None:
        if version != __version__:
            raise UsageError(f"a node of the cluster has pointree {__version__}, expected {version} as here")
        job = self.job
        for model, expected in zip(job.models, job.model_hashes, strict=True):
            if model_hash(model) != expected:
                raise UsageError(f"model {model}: a node of the cluster has another one under this name")

        from pointree.bulk.shards import ShardWriter
        from pointree.ensemble import load_models
        from pointree.running.threads import prepare_process

        prepare_process(job.threads)
        chosen = job.options.precision
        parser = load_models(list(job.models), precision=chosen, device=job.device, engine=job.engine)
        parser.check(job.options)
        self.writer = ShardWriter(job, parser)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Make the shards of some units, given as lines of JSON in the column ``unit``."""
        rows = [self._make(Unit.from_json(str(line))) for line in batch["unit"]]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _make(self, unit: Unit) -> dict[str, Any]:
        row = {"number": unit.number, "sentences": 0, "words": 0, "failed": 0, "fault": self.fault}
        if self.fault:
            return row
        if Path(self.job.shard(unit.number)).exists():
            return row  # made before its actor, or the node of its result, was lost
        try:
            report = self.writer.write(unit)
        except PointreeError as error:
            return row | {"fault": str(error)}
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            return row | {"fault": f"{self.job.describe(unit)}: {type(error).__name__} at {where}: {error}"}
        return row | {"sentences": report.sentences, "words": report.words, "failed": len(report.failures)}
