"""Joining a Ray cluster, or starting one on this machine, with faults told in one line."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from pointree.errors import MissingExtraError, PointreeError, UsageError
from pointree.running.ray_tokens import MODE, matching_tokens

__all__ = ["ClusterError", "ray_session"]

_STORE_BYTES = 200_000_000
"""Shared memory of a cluster on this machine: units and reports are small, and text never goes through it."""

_UNWATCHED = {"enable_metrics_collection": "false", "event_stats": "false", "task_events_report_interval_ms": "0"}
"""Settings of a cluster on this machine, which has no dashboard: nobody reads what its processes count."""

_PATIENCE = 5.0
"""Seconds that a cluster has to answer."""


class ClusterError(PointreeError):
    """A cluster that cannot be used."""


@contextmanager
def ray_session(cluster: str, *, cpus: int | None = None) -> Iterator[ModuleType]:
    """Ray, as a member of a cluster: ``local`` starts one of ``cpus`` cores, ``auto`` is that of this machine.

    Anything else is an address. A process that has joined a cluster already stays there.
    """
    ray = _import_ray(_UNWATCHED if cluster == "local" else {})
    if ray.is_initialized():
        yield ray
        return
    if cluster not in ("local", "auto"):
        _check_address(cluster, ray.util.get_node_ip_address())
    own: dict[str, Any] = {}
    if cluster == "local":
        own = {"num_cpus": cpus or os.cpu_count(), "object_store_memory": _STORE_BYTES, "include_dashboard": False}
        own["_node_ip_address"] = "127.0.0.1"
    with ExitStack() as opened:
        try:
            with _silent_stderr(), _sigterm_kept():
                opened.enter_context(matching_tokens(ray, cluster))
                ray.init(
                    address=cluster, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **own
                )
        except Exception as error:
            raise ClusterError(_reason(cluster, error)) from error
        opened.callback(ray.shutdown)
        yield ray


def _import_ray(settings: dict[str, str]) -> ModuleType:
    # Messages of Ray about itself are not the user's: what matters comes as an error of ours. Actors have the priority
    # of any other process, which those of --workers have too.
    defaults = {"ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "BACKEND_LOG_LEVEL": "fatal", "worker_niceness": "0"}
    for name, value in (defaults | settings).items():
        os.environ.setdefault(f"RAY_{name}", value)
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("a cluster", "ray") from None
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    found: ModuleType = ray
    return found


@contextmanager
def _sigterm_kept() -> Iterator[None]:
    """Leave SIGTERM to whoever handles it: Ray's own handler ends the process with an exit code of its own."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


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
        raise UsageError(f"cluster {address}: expected local, auto or an address such as 10.0.0.1:6379")
    try:
        place = own if host in ("localhost", "127.0.0.1", "[::1]") else host.strip("[]")
        socket.create_connection((place, int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"cluster {address}: no cluster answers there ({error})") from None


def _reason(cluster: str, error: Exception) -> str:
    text = " ".join(str(error).split())
    if "Version mismatch" in text or "version mismatch" in text:
        return f"cluster {cluster}: its versions of Ray and Python must be those of this process: {text[:300]}"
    if cluster != "local" and ("token" in text.lower() or os.environ.get(MODE) == "token"):
        advice = "copy ~/.ray/auth_token from its head node to this machine, or set RAY_AUTH_TOKEN"
        return f"cluster {cluster}: it asks for a token; {advice} ({text[:200]})"
    if isinstance(error, ConnectionError) and cluster == "auto":
        return "cluster auto: no Ray cluster runs on this machine; start one with `ray start --head`, or use local"
    return f"cluster {cluster}: cannot be joined: {text[:300] or type(error).__name__}"
