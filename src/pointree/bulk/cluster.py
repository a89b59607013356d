"""Joining a Ray cluster, or starting one on this machine, with faults told in one line."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from types import ModuleType
from typing import Any

from pointree.bulk.job import Job
from pointree.bulk.sources import Source
from pointree.errors import MissingExtraError, PointreeError, UsageError
from pointree.version import __version__

__all__ = ["Cluster", "ClusterError", "connected"]

_STORE_BYTES = 200_000_000
"""Shared memory of a cluster on this machine: units and reports are small, and text never goes through it."""

_PATIENCE = 5.0
"""Seconds that a cluster has to answer."""


class ClusterError(PointreeError):
    """A cluster that cannot be used."""


class Cluster:
    """What a bulk job asks of Ray."""

    def __init__(self, ray: ModuleType) -> None:
        self.ray = ray

    def slots(self, *, threads: int, device: str) -> int:
        """How many actors of so many threads, or of one GPU, there is room for."""
        resources = self.ray.cluster_resources()
        if not device.startswith("cuda"):
            return max(1, int(resources.get("CPU", 0)) // threads)
        if found := int(resources.get("GPU", 0)):
            return found
        raise ClusterError(f"--device {device}: the cluster has no GPUs")

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

    def make(self, job: Job, units: Sequence[str], size: int) -> Iterator[dict[str, Any]]:
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


@contextmanager
def connected(cluster: str, *, cpus: int | None = None) -> Iterator[Cluster]:
    """Join a cluster: ``local`` starts one of ``cpus`` cores, ``auto`` is that of this machine, else an address.

    A process that has joined a cluster already stays there.
    """
    ray = _import_ray()
    if ray.is_initialized():
        yield Cluster(ray)
        return
    if cluster not in ("local", "auto"):
        _check_address(cluster, ray.util.get_node_ip_address())
    own: dict[str, Any] = {}
    if cluster == "local":
        own = {"num_cpus": cpus or os.cpu_count(), "object_store_memory": _STORE_BYTES, "include_dashboard": False}
        own["_node_ip_address"] = "127.0.0.1"
    try:
        with _silent_stderr():
            ray.init(address=cluster, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **own)
    except Exception as error:
        raise ClusterError(_reason(cluster, error)) from error
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


def _import_ray() -> ModuleType:
    # Messages of Ray about itself are not the user's: what matters comes as an error of ours. Actors have the priority
    # of any other process, which those of --workers have too.
    defaults = {"ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "BACKEND_LOG_LEVEL": "fatal", "worker_niceness": "0"}
    for name, value in defaults.items():
        os.environ.setdefault(f"RAY_{name}", value)
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("parse --cluster", "ray") from None
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    found: ModuleType = ray
    return found


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Keep to itself what Ray's native code says while it starts; faults come as exceptions."""
    sys.stderr.flush()
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def _check_address(address: str, own: str) -> None:
    """Fail at once where nobody listens, which Ray would take minutes for; it takes ``own`` for this machine."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise UsageError(f"--cluster {address}: expected local, auto or an address such as 10.0.0.1:6379")
    try:
        place = own if host in ("localhost", "127.0.0.1", "[::1]") else host.strip("[]")
        socket.create_connection((place, int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"--cluster {address}: no cluster answers there ({error})") from None


def _reason(cluster: str, error: Exception) -> str:
    text = " ".join(str(error).split())
    if "Version mismatch" in text or "version mismatch" in text:
        return f"--cluster {cluster}: its versions of Ray and Python must be those of this process: {text[:300]}"
    if isinstance(error, ConnectionError) and cluster == "auto":
        return "--cluster auto: no Ray cluster runs on this machine; start one with `ray start --head`, or use local"
    return f"--cluster {cluster}: cannot be joined: {text[:300] or type(error).__name__}"
