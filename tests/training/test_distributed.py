"""Several processes train as one does, and a run goes on after one of them was killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

import pointree
from pointree.errors import TrainingError, UsageError
from pointree.models.layout import CHECKPOINT, METRICS, TEACHER_PROBABILITIES, WEIGHTS
from pointree.training import distributed
from pointree.training.distributed import Group, join_group

from ..helpers import EWT, NO_DROPOUT, merge
from . import killed_process
from .runs import SIZES

SETTINGS: dict[str, Any] = {
    **{
        f"{section}.{name}": value for section, part in merge(SIZES, NO_DROPOUT).items() for name, value in part.items()
    },
    "training.batch_size": 7,
    "training.epochs": 12,
    "training.schedule": "linear",
    "training.learning_rate": 0.02,
    "training.exploration": 0.0,
}
TIMES = {"words_per_s", "seconds"}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifteen sentences: batches of seven, seven and one, which leaves a process without a sentence."""
    path = tmp_path_factory.mktemp("treebank") / "short.conllu"
    blocks = sorted(EWT.read_text(encoding="utf-8").strip().split("\n\n"), key=len)
    path.write_text("\n\n".join(blocks[:15]) + "\n\n", encoding="utf-8")
    return path


TWO_PROCESSES = ("--standalone", "--nproc-per-node", "2")


def command(treebank: Path, output: Path, *more: str, launch: Sequence[str] = TWO_PROCESSES) -> list[str]:
    own = [*launch, "-m", "pointree", "train", "--no-text-model"]
    settings = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    files = ["--train", str(treebank), "--dev", str(treebank), "--output", str(output)]
    return [sys.executable, "-m", "torch.distributed.run", *own, *files, *settings, *more]


def metrics(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / METRICS).read_text(encoding="utf-8").splitlines()
    return [{name: value for name, value in json.loads(line).items() if name not in TIMES} for line in lines]


@pytest.fixture(scope="module")
def together(treebank: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a run of two processes, and what they wrote to standard error."""
    output = tmp_path_factory.mktemp("together") / "model"
    done = subprocess.run(command(treebank, output), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("best LAS on dev") == 1
    return output, done.stderr


@pytest.mark.slow
def test_two_processes_are_one(treebank: Path, together: tuple[Path, str], tmp_path: Path) -> None:
    pointree.train(treebank, treebank, tmp_path / "model", settings=SETTINGS, text_model=False)
    one, two = metrics(tmp_path / "model"), metrics(together[0])
    assert len(one) == len(two) == SETTINGS["training.epochs"]
    for alone, shared in zip(one, two, strict=True):
        assert shared == pytest.approx(alone, abs=0.35 if alone["epoch"] > 3 else 2e-4), alone["epoch"]
    weights = load_file(together[0] / WEIGHTS)
    for name, tensor in load_file(tmp_path / "model" / WEIGHTS).items():
        assert torch.allclose(weights[name], tensor, atol=0.02), name


@pytest.mark.slow
def test_two_machines_are_one(treebank: Path, together: tuple[Path, str], tmp_path: Path) -> None:
    """Two launchers with a process each, that meet on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"--rdzv-endpoint=127.0.0.1:{probe.getsockname()[1]}"
    output = tmp_path / "model"
    launch = ["--nnodes=2", "--nproc-per-node=1", "--rdzv-backend=c10d", "--rdzv-id=test", place]
    launch.append("--local-addr=127.0.0.1")
    line = command(treebank, output, launch=launch)
    machines = [subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        said = [machine.communicate(timeout=300) for machine in machines]
    finally:
        for machine in machines:
            machine.kill()
    assert [machine.returncode for machine in machines] == [0, 0], said
    assert sum(out.count("best LAS on dev") for out, _err in said) == 1
    assert metrics(output) == metrics(together[0])
    assert (output / WEIGHTS).read_bytes() == (together[0] / WEIGHTS).read_bytes()


@pytest.mark.slow
def test_only_the_first_process_speaks(together: tuple[Path, str]) -> None:
    assert together[1].count("epoch   1  loss") == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_run_goes_on_after_a_process_was_killed(treebank: Path, together: tuple[Path, str], tmp_path: Path) -> None:
    output = tmp_path / "model"
    agent = subprocess.Popen(command(treebank, output), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 120
    while not (output / METRICS).exists() or not metrics(output):
        assert time.monotonic() < deadline
        assert agent.poll() is None
        time.sleep(0.02)
    os.kill(process(agent.pid, rank=1), signal.SIGKILL)
    told = agent.communicate(timeout=120)[1]
    assert agent.returncode != 0
    if "pointree: error" in told:  # unless torchrun ended it first
        assert "another process of the training run has ended" in told
        assert "resume the run to go on" in told
    assert len(metrics(output)) < SETTINGS["training.epochs"]
    done = subprocess.run(command(treebank, output, "--resume"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert metrics(output) == metrics(together[0])
    assert (output / WEIGHTS).read_bytes() == (together[0] / WEIGHTS).read_bytes()


WITHIN: dict[str, Any] = {
    "training.batch_size": 2,
    "training.epochs": 3,
    "training.exploration": 0.7,
    "training.average": 0.9,
    "embeddings.dropout": 0.3,
    "decoder.dropout": 0.3,
}
"""Settings of a run of which the processes have random numbers and memories of their own; eight batches an epoch."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system cannot kill")
def test_a_run_goes_on_within_an_epoch(treebank: Path, together: tuple[Path, str], tmp_path: Path) -> None:
    """Also with a teacher, which is asked once for both processes."""
    more = [part for name, value in WITHIN.items() for part in ("--set", f"{name}={value}")]
    more += ["--teacher", str(together[0])]

    def run(*given: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*given], capture_output=True, text=True, check=False, **options)

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done = run(*command(treebank, whole, *more))
    assert done.returncode == 0, done.stderr
    line = command(treebank, parts, *more)
    place = line.index("-m", line.index("--nproc-per-node"))
    line[place : place + 2] = [killed_process.__file__, "1", "13"]
    assert run(*line).returncode != 0
    with safe_open(parts / CHECKPOINT, framework="pt") as stream:
        progress = json.loads(stream.metadata()["progress"])
        assert len(stream.get_tensor("epoch/random")) == 2
    assert progress["epoch"] == 1
    assert progress["batches"] in (4, 5), "the last checkpoint may have been cut off by the end of the other process"
    assert (parts / TEACHER_PROBABILITIES).is_dir()
    done = run(*command(treebank, parts, *more, "--resume"))
    assert done.returncode == 0, done.stderr
    assert metrics(parts) == metrics(whole)
    assert (parts / WEIGHTS).read_bytes() == (whole / WEIGHTS).read_bytes()
    assert not (parts / TEACHER_PROBABILITIES).exists()
    with safe_open(whole / CHECKPOINT, framework="pt") as expected, safe_open(parts / CHECKPOINT, "pt") as ended:
        for name in expected.keys():  # noqa: SIM118
            assert ended.get_tensor(name).equal(expected.get_tensor(name)), name


def process(agent: int, *, rank: int) -> int:
    """The process with a rank among those that torchrun started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_child = (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(agent)
            if is_child and f"RANK={rank}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError("no such process")


def test_one_process_is_a_group_in_which_nothing_is_sent() -> None:
    group = join_group("cpu")
    assert (group.rank, group.size, group.is_first, group.device) == (0, 1, True, "cpu")
    parameter = nn.Parameter(torch.ones(2))
    group.average([parameter], [])
    assert parameter.grad is None
    assert group.share([3, 2, 1]) == [3, 2, 1]
    assert group.sum(torch.tensor([1, 2])).tolist() == [1.0, 2.0]
    assert group.gather(torch.tensor([1, 2], dtype=torch.uint8)).tolist() == [[1.0, 2.0]]
    assert (group.agree(True), group.agree(False)) == (True, False)
    with group.first_alone():
        group.wait()
    group.leave()


def test_the_first_process_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed.dist, "all_reduce", lambda _tensor: None)  # the others have nothing to add
    assert Group(0, 2).agree(True)
    assert not Group(1, 2).agree(True)
    assert Group(1, 3).gather(torch.tensor([5, 6])).tolist() == [[0.0, 0.0], [5.0, 6.0], [0.0, 0.0]]


def test_shares_are_disjoint_and_complete() -> None:
    shares = [Group(rank, 3).share(range(10)) for rank in range(3)]
    assert sorted(number for share in shares for number in share) == list(range(10))
    assert list(Group(2, 3).share([5, 4])) == []


def test_a_lost_process_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(_tensor: object) -> None:
        raise RuntimeError("Connection closed by peer [127.0.0.1]:1\nmore")

    monkeypatch.setattr(distributed.dist, "all_reduce", lost)
    with pytest.raises(TrainingError, match=r"has ended \(Connection closed by peer .*\); resume the run"):
        Group(0, 2).wait()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Process 5 of 8 on two machines of four GPUs, which are not there; what it asks of torch."""
    asked: dict[str, Any] = {}
    for name, value in {"WORLD_SIZE": "8", "RANK": "5", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: asked.update(current=device))
    monkeypatch.setattr(distributed.dist, "is_initialized", lambda: False)
    monkeypatch.setattr(distributed.dist, "get_rank", lambda: 5)

    def init(backend: str, *, timeout: object, **options: Any) -> None:
        asked.update(backend=backend, **options)

    monkeypatch.setattr(distributed.dist, "init_process_group", init)
    return asked


def test_each_process_has_the_gpu_of_its_local_number(started: dict[str, Any]) -> None:
    group = join_group("cuda")
    assert (group.rank, group.size, group.device) == (5, 8, "cuda:1")
    assert started == {"current": 1, "backend": "nccl", "device_id": torch.device("cuda:1")}


def test_processes_on_cpus_talk_by_gloo(started: dict[str, Any]) -> None:
    assert join_group("cpu").device == "cpu"
    assert started == {"backend": "gloo"}


@pytest.mark.parametrize(
    ("device", "local", "message"),
    [
        ("cuda:0", "1", "device cuda:0: expected cuda with several processes, which take a GPU each"),
        ("cuda", "4", "device cuda: expected a GPU for each process of this machine, found 4"),
    ],
)
def test_a_gpu_that_a_process_cannot_have(
    started: dict[str, Any], monkeypatch: pytest.MonkeyPatch, device: str, local: str, message: str
) -> None:
    monkeypatch.setenv("LOCAL_RANK", local)
    with pytest.raises(UsageError) as caught:
        join_group(device)
    assert str(caught.value) == message
    assert not started


def test_all_that_is_sent_is_on_the_device_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """NCCL sends no tensors of the CPU; the device ``meta`` stands for a GPU."""
    sent: list[str] = []

    def reduce(tensor: torch.Tensor) -> None:
        sent.append(tensor.device.type)

    def gather(parts: list[torch.Tensor], tensor: torch.Tensor) -> None:
        sent.extend(part.device.type for part in (*parts, tensor))

    monkeypatch.setattr(distributed.dist, "all_reduce", reduce)
    monkeypatch.setattr(distributed.dist, "all_gather", gather)
    monkeypatch.setattr(torch.Tensor, "cpu", lambda tensor: torch.ones(tensor.shape, dtype=tensor.dtype))
    monkeypatch.setattr(torch.Tensor, "tolist", lambda tensor: [0.0] * len(tensor))
    monkeypatch.setattr(torch.Tensor, "coalesce", lambda tensor: tensor)
    group = Group(0, 2, "meta")
    group.wait()
    group.average([nn.Parameter(torch.ones(2, 3, device="meta"))], [nn.Parameter(torch.ones(4, 3, device="meta"))])
    assert sent
    assert set(sent) == {"meta"}
