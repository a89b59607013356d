"""What a bulk job asks of Ray: files are looked through and shards made by Ray Data, wherever there is room."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from types import ModuleType
from typing import Any

from pointree.bulk.job import BulkJob
from pointree.bulk.sources import Source
from pointree.running.ray_session import ClusterError, ray_session
from pointree.version import __version__

__all__ = ["Cluster", "connected"]


@contextmanager
def connected(cluster: str, *, cpus: int | None = None) -> Iterator[Cluster]:
    """Join a cluster, given as for `ray_session`."""
    with ray_session(cluster, cpus=cpus) as ray:
        yield Cluster(ray)


class Cluster:
    """What a bulk job asks of Ray."""

    def __init__(self, ray: ModuleType) -> None:
        self.ray = ray

    def slots(self, *, threads: int, device: str) -> int:
        """How many actors of so many threads, or of one GPU, there is room for; an actor lives on one node."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        if device.startswith("cuda"):
            if found := sum(int(node.get("GPU", 0)) for node in nodes):
                return found
            raise ClusterError(f"device {device}: the cluster has no GPUs")
        cpus = [int(node.get("CPU", 0)) for node in nodes]
        if 0 < max(cpus, default=0) < threads:  # nodes that start when they are needed may have none yet
            raise ClusterError(f"threads {threads}: expected at most {max(cpus)}, as many as a node of the cluster has")
        return max(1, sum(each // threads for each in cpus))

    def cut(self, sources: Sequence[Source], cut: Callable[[Source], list[Any] | str]) -> Iterator[list[Any] | str]:
        """What ``cut`` says of each source, in order; the sources are read where there is room."""
        if not sources:
            return

        def cut_row(row: dict[str, Any]) -> dict[str, Any]:
            return {"answer": json.dumps(cut(Source(**json.loads(row["source"]))))}

        rows = [{"source": json.dumps(asdict(source))} for source in sources]
        with self._settings() as settings:
            settings.execution_options.preserve_order = True
            dataset = self.ray.data.from_items(rows, override_num_blocks=min(len(rows), 1_000)).map(cut_row)
            for row in self._rows(dataset):
                yield json.loads(row["answer"])

    def make(self, job: BulkJob, units: Sequence[str], size: int) -> Iterator[dict[str, Any]]:
        """Have ``size`` actors make the shards of units; what is lost with an actor or a node is left out."""
        from pointree.bulk.actor import ShardActor

        size = min(size, len(units))
        needs = {"num_gpus": 1} if job.device.startswith("cuda") else {"num_cpus": job.threads}
        rows = [{"unit": unit} for unit in units]
        with self._settings() as settings, warnings.catch_warnings():
            settings.max_errored_blocks = -1
            warnings.simplefilter("ignore")  # of retries as an argument, for which there is no other place yet
            dataset = self.ray.data.from_items(rows, override_num_blocks=min(len(rows), max(4_096, 16 * size)))
            shards = dataset.map_batches(
                ShardActor,
                fn_constructor_args=(job, __version__),
                batch_size=1,
                compute=self.ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=2),
                max_restarts=-1,
                max_task_retries=0,  # a task must not wait for an actor whose node does not come back
                **needs,
            )
            yield from self._rows(shards)

    def _rows(self, dataset: Any) -> Iterator[dict[str, Any]]:
        try:
            yield from dataset.iter_rows()
        except self.ray.exceptions.RayError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise ClusterError(f"the cluster failed: {[type(error).__name__, *lines][-1][:300]}") from error

    @contextmanager
    def _settings(self) -> Iterator[Any]:
        """The settings of Ray Data for one execution: no bars and no messages of its own."""
        context = self.ray.data.DataContext
        before = context.get_current()
        own = before.copy()
        own.enable_progress_bars = own.print_on_execution_start = False
        context._set_current(own)
        try:
            yield own
        finally:
            context._set_current(before)
