"""The whole bench: every measurement in a process of its own, put together into one report."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pointree.config import Config
from pointree.errors import PointreeError, UsageError

__all__ = ["measured_models", "run_bench"]

_PRECISIONS = ("fp32", "bf16")


@dataclass(frozen=True, slots=True)
class _Job:
    """One measurement at one precision."""

    name: str
    precision: str


def _jobs() -> Iterator[_Job]:
    for name in ("gemm", "train", "beam1", "beam10"):
        for precision in _PRECISIONS:
            yield _Job(name, precision)
    yield _Job("latency", "fp32")
    yield _Job("length", "fp32")


def run_bench(
    config: Config | None = None,
    *,
    quick: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    models: Sequence[str] | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> dict[str, Any]:
    """Measure training and parsing, and models on all engines; return a report that JSON can hold.

        >>> pointree.run_bench(quick=True)["parse"]["fp32"]["beam1"]["words_per_s"]

    Training and parsing have random weights and synthetic sentences; ``engines`` has such a network, called ``random``,
    and models that parse text. What a machine cannot do is None, with the reason under ``notes``. Measure on an idle
    machine.

    Args:
        config: The settings of the network; the defaults if None.
        quick: Fewer sentences and repetitions: rougher, about a minute.
        threads: CPU threads of every measurement.
        device: Where to compute, such as ``cuda``. The engines are compared on the CPU.
        models: Names or folders of the models that are measured on all engines; those that are bundled if None.
        progress: Called with the name of each measurement, before it starts.
    """
    config = Config() if config is None else config
    from pointree.bench.measure import Setup
    from pointree.bench.worker import measure_apart
    from pointree.engines.torch_engine import resolve_device
    from pointree.models.registry import resolve_model

    if config.embeddings.pretrained.model:
        raise UsageError("embeddings.pretrained.model: the bench has no text for a pretrained model; leave it out")
    resolve_device(device)
    chosen = measured_models(models)
    for name in chosen:
        resolve_model(name)
    results: dict[_Job, dict[str, Any]] = {}
    notes: dict[str, str] = {}
    for job in _jobs():
        progress(f"{job.name} {job.precision}")
        try:
            results[job] = measure_apart(job.name, Setup(config, job.precision, device, quick), threads)
        except PointreeError as error:
            notes[f"{job.name}.{job.precision}"] = str(error)
            results[job] = {}
    progress("cold start")
    cold: dict[str, float | None] = {"help": None, "parse": None}
    try:
        cold = _cold_start(config, quick, threads, device)
    except subprocess.CalledProcessError as error:
        notes["cold_start"] = f"pointree {error.cmd[3]} failed with code {error.returncode}"
    engines, missing = _engines(config, chosen, quick, threads, progress)
    return {**_report(results), "cold_start_s": cold, "engines": engines, "notes": {**notes, **missing}}


def _report(results: dict[_Job, dict[str, Any]]) -> dict[str, Any]:
    peak = results[_Job("gemm", "fp32")].get("gflops")

    def section(name: str, precision: str, *keys: str) -> dict[str, float | None]:
        found = results[_Job(name, precision)]
        values: dict[str, float | None] = {key: _rounded(found.get(key)) for key in keys}
        gflops = found.get("gflops")
        values["utilisation"] = None if gflops is None or not peak else round(gflops / peak, 3)
        return values

    seconds = results[_Job("length", "fp32")].get("seconds", {})
    return {
        "gemm": {f"{p}_gflops": _rounded(results[_Job("gemm", p)].get("gflops")) for p in _PRECISIONS},
        "train": {p: section("train", p, "words_per_s", "sentences_per_s", "peak_mb") for p in _PRECISIONS},
        "parse": {
            p: {
                "beam1": section("beam1", p, "words_per_s", "sentences_per_s", "peak_mb"),
                "beam10": section("beam10", p, "words_per_s", "sentences_per_s", "peak_mb", "times_greedy"),
            }
            for p in _PRECISIONS
        },
        "latency_ms": {key: _rounded(results[_Job("latency", "fp32")].get(key)) for key in ("p50", "p95")},
        "length": {
            "exponent_10_160": _exponent(seconds, 10, 160),
            "exponent_160_640": _exponent(seconds, 160, 640),
            "ms_per_sentence": {n: round(1000 * value, 2) for n, value in seconds.items()},
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3 if value < 10 else 1)


def _exponent(seconds: dict[str, float], first: int, last: int) -> float | None:
    """The slope of log time over log length, by least squares."""
    points = [(math.log(int(n)), math.log(value)) for n, value in seconds.items() if first <= int(n) <= last]
    if len(points) < 2:
        return None
    slope = statistics.linear_regression(*zip(*points, strict=True)).slope
    return round(slope, 3)


def _environment(threads: int | None) -> dict[str, str]:
    environment = dict(os.environ)
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    return environment


def _cold_start(config: Config, quick: bool, threads: int | None, device: str) -> dict[str, float | None]:
    from pointree.bench.measure import cold_start, save_model

    with tempfile.TemporaryDirectory(prefix="pointree-bench-") as folder:
        save_model(config, Path(folder))
        seconds = cold_start(quick, Path(folder), device, _environment(threads))
        return {name: _rounded(value) for name, value in seconds.items()}


def _engines(
    config: Config, models: Sequence[str], quick: bool, threads: int | None, progress: Callable[[str], None]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The figures of all engines, and why some are missing."""
    from pointree.bench.engines import compare_engines
    from pointree.bench.measure import save_model
    from pointree.models.graphs import add_graphs

    with tempfile.TemporaryDirectory(prefix="pointree-bench-") as folder:
        save_model(config, Path(folder))
        add_graphs(Path(folder))
        chosen = {"random": folder, **dict(zip(models, models, strict=True))}
        return compare_engines(chosen, quick=quick, threads=threads, progress=progress)


def measured_models(models: Sequence[str] | None = None) -> Sequence[str]:
    """The models that are measured: those that are given, or all that are bundled."""
    from pointree.models.registry import available_models

    return [known.name for known in available_models() if known.origin == "bundled"] if models is None else models
