"""The bench as a whole, with a network so small that only the frame is measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pointree.bench import measure, worker
from pointree.bench import run as run_module
from pointree.bench.engines import MEASURED_ENGINES
from pointree.bench.measure import Setup
from pointree.bench.run import _exponent, run_bench
from pointree.bench.worker import measure_apart
from pointree.cli.main import main
from pointree.config import load_config
from pointree.errors import PointreeError

TINY = [
    "encoder.size=8",
    "encoder.layers=1",
    "decoder.size=8",
    "scorers.arc_size=8",
    "scorers.label_size=4",
    "training.batch_size=4",
]


def _keys(value: Any, prefix: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {prefix}
    return {key for name, inner in value.items() for key in _keys(inner, f"{prefix}.{name}" if prefix else name)}


CONTRACT = {
    *(f"gemm.{p}_gflops" for p in ("fp32", "bf16")),
    *(f"train.{p}.{key}" for p in ("fp32", "bf16") for key in ("words_per_s", "utilisation", "peak_mb")),
    *(
        f"parse.{p}.beam{width}.{key}"
        for p in ("fp32", "bf16")
        for width in (1, 10)
        for key in ("words_per_s", "sentences_per_s", "utilisation")
    ),
    "latency_ms.p50",
    "latency_ms.p95",
    *(
        f"engines.random.{engine}.{precision}.{key}"
        for engine, precision in MEASURED_ENGINES
        for key in ("words_per_s", "p50_ms", "load_s", "peak_mb")
    ),
    "cold_start_s.help",
    "cold_start_s.parse",
    "length.exponent_10_160",
    "length.exponent_160_640",
}


@pytest.mark.slow
def test_quick_has_every_key_of_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = [f"--set={each}" for each in TINY]
    (tmp_path / "none").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["bench", "--quick", "--json", "--threads", "1", "--model", str(tmp_path / "none"), *tiny])
    assert left.value.code == 0
    report = json.loads(capsys.readouterr().out)
    assert _keys(report) >= CONTRACT
    missing = {name: note for name, note in report["notes"].items() if not name.startswith("engines.")}
    assert all(name.endswith(".bf16") and "no such arithmetic" in note for name, note in missing.items())
    others = [note for name, note in report["notes"].items() if name not in missing]
    assert len(others) == len(MEASURED_ENGINES)
    assert all(f"{tmp_path / 'none'}: " in note for note in others)
    assert all(row["words_per_s"] > 0 for each in report["engines"]["random"].values() for row in each.values())
    assert report["train"]["fp32"]["words_per_s"] > 0


@pytest.mark.slow
def test_what_cannot_be_measured_is_null_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, setup: Setup, _threads: int | None) -> dict[str, Any]:
        raise PointreeError(f"{name} in {setup.precision} failed: the process ended with code -9")

    monkeypatch.setattr(worker, "measure_apart", fail)
    monkeypatch.setattr(run_module, "_engines", lambda *_request: ({}, {"engines.en.onnx.int8": "a reason"}))
    report = run_bench(load_config(None, TINY), quick=True, threads=1)
    assert report["notes"]["engines.en.onnx.int8"] == "a reason"
    assert report["train"]["fp32"]["words_per_s"] is None
    assert report["train"]["fp32"]["utilisation"] is None
    assert report["notes"]["train.fp32"] == "train in fp32 failed: the process ended with code -9"
    assert report["cold_start_s"]["parse"] > 0


def test_imitated_arithmetic_is_refused_and_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup(load_config(None, TINY), "bf16", "cpu", quick=True)
    seconds = iter([0.001, 0.007, 0.001, 0.020])
    monkeypatch.setattr(measure, "_best_seconds", lambda *_work: next(seconds))
    measure.require_arithmetic(setup)
    with pytest.raises(PointreeError, match=r"^this machine has no such arithmetic: a product takes 20 × as long$"):
        measure.require_arithmetic(setup)


def test_a_cold_start_that_fails_is_null_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_request: Any) -> dict[str, float | None]:
        raise subprocess.CalledProcessError(2, ["python", "-m", "pointree", "parse"])

    monkeypatch.setattr(worker, "measure_apart", lambda *_request: {})
    monkeypatch.setattr(run_module, "_cold_start", fail)
    monkeypatch.setattr(run_module, "_engines", lambda *_request: ({}, {}))
    report = run_bench(load_config(None, TINY), quick=True, threads=1)
    assert report["cold_start_s"] == {"help": None, "parse": None}
    assert report["notes"] == {"cold_start": "pointree parse failed with code 2"}


def _die(*_request: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_fault_of_a_measurement_is_one_line() -> None:
    with pytest.raises(PointreeError, match=r"^train in fp32 failed: .*nowhere$") as caught:
        measure_apart("train", Setup(load_config(None, TINY), "fp32", "nowhere", quick=True), 1)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_process_that_dies_is_reported_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_answer", _die)
    with pytest.raises(PointreeError, match="latency in fp32 failed: the process ended with code -9"):
        measure_apart("latency", Setup(load_config(None, TINY), "fp32", "cpu", quick=True), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "nowhere"], "device nowhere cannot be used"),
        (["--model", "nomodel"], "model nomodel is unknown"),
        (["--set", "embeddings.pretrained.model=x"], "embeddings.pretrained.model: the bench has no text"),
    ],
)
def test_what_no_measurement_could_use_is_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "--quick", *options])
    assert left.value.code == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"pointree: error: {message}")


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_exponent_is_the_slope_of_the_logarithms(power: float) -> None:
    assert _exponent({str(n): 0.001 * n**power for n in (10, 20, 40, 80, 160)}, 10, 160) == pytest.approx(power)


def test_threads_must_be_positive(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "--threads", "0"])
    assert left.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
