"""Bulk jobs on a real Ray cluster of three nodes on this machine: nodes, actors and drivers are killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

import pointree
from pointree.bulk.cluster import connected
from pointree.bulk.manifest import BulkReport
from pointree.bulk.run import parse_on_cluster
from pointree.errors import UsageError
from pointree.experiments.runner import State
from pointree.pipeline import parse_files
from pointree.running.ray_session import ClusterError

from ..helpers import ewt_sentences
from .conftest import together

ray = pytest.importorskip("ray", reason="needs pointree[ray]")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]

NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.2"}
# Of this machine alone; for 127.0.0.1, Ray takes another address of the machine.
SHARD_WORDS = 60
DRIVER_KILLS = 10


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes of one core each; those of this process take SIGTERM for themselves, and give it back here."""
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")
        from ray.cluster_utils import Cluster

        found = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        for _ in range(2):
            found.add_node(**NODE)
        yield found
        ray.shutdown()
        found.shutdown()
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file that is cut into many units, and some that share one."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = [sentence.text for sentence in ewt_sentences()]
    (folder / "a.txt").write_text("\n\n".join(texts * 2), encoding="utf-8")
    for number in range(4):
        (folder / f"b{number}.txt").write_text(texts[number], encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bytes of one machine."""
    output = tmp_path_factory.mktemp("one") / "one.conllu"
    parse_files(sorted(corpus.iterdir()), output, model=model)
    return output.read_text(encoding="utf-8")


def parse(cluster: Any, corpus: Path, output: Path, model: Path, **options: Any) -> BulkReport:
    return parse_on_cluster(corpus, output, cluster=cluster.address, model=model, shard_words=SHARD_WORDS, **options)


def actors(cluster: Any) -> list[int]:
    """The processes of actors on any node."""
    raylets = {node.all_processes["raylet"][0].process.pid for node in cluster.list_all_nodes()}
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            own_id, _, rest = status.read_text().partition(" ")
            title = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if int(rest.rpartition(")")[2].split()[1]) in raylets and b"ShardActor" in title:
            found.append(int(own_id))
    return found


def test_a_node_and_an_actor_die_on_the_way(
    cluster: Any, corpus: Path, model: Path, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.bulk.run.CUT_HERE", -1)  # the cluster cuts, too
    killed: list[str] = []

    @contextmanager
    def killing() -> Iterator[Any]:
        def advance(done: int, total: int, words: int) -> None:
            if done >= 3 and "actor" not in killed:
                os.kill(actors(cluster)[0], signal.SIGKILL)
                killed.append("actor")
            elif done >= 8 and "node" not in killed:
                cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
                killed.append("node")

        yield advance

    report = parse(cluster, corpus, tmp_path / "out", model, actors=3, progress=killing)
    assert killed == ["actor", "node"]
    assert report.shards > 20
    assert together(report.folder) == expected
    cluster.add_node(**NODE)


def test_the_driver_is_killed_ten_times(cluster: Any, corpus: Path, model: Path, expected: str, tmp_path: Path) -> None:
    random, output = Random(5), tmp_path / "out"
    command = [sys.executable, "-m", "pointree", "parse", str(corpus), "--cluster", cluster.address]
    command += ["--model", str(model), "--output", str(output), "--shard-words", str(SHARD_WORDS), "--actors", "2"]
    done = []
    for number in range(DRIVER_KILLS):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before, started = count(output), time.monotonic()
        # Half of them after some seconds, whatever they are at, half of them in the middle of their work.
        patience = random.uniform(0.5, 4.0) if number % 2 else 60.0
        while process.poll() is None and time.monotonic() - started < patience and count(output) < before + 3:
            time.sleep(0.05)
        process.kill()
        process.wait()
        done.append(count(output))
    assert 0 < done[0] <= done[-1]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    assert finished.stdout.startswith(f"{output}: {count(output)} shards, ")
    assert together(output) == expected


def count(output: Path) -> int:
    return len(list(output.glob("part-*")))


def test_clusters_that_cannot_be_joined(cluster: Any, corpus: Path, model: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^cluster somewhere: expected local, auto or an address such as"):
        parse_on_cluster(corpus, tmp_path / "out", cluster="somewhere", model=model)
    with pytest.raises(ClusterError, match=r"^cluster 127.0.0.1:1: no cluster answers there \(.*refused\)$"):
        parse_on_cluster(corpus, tmp_path / "out", cluster="127.0.0.1:1", model=model)
    program = "import ray; ray.__version__ = '1.2.3'; from pointree.cli.main import main; main()"
    command = ["parse", str(corpus), "--cluster", cluster.address, "--model", str(model), "--output"]
    failed = subprocess.run(
        [sys.executable, "-c", program, *command, str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 2
    [line] = failed.stderr.splitlines()
    assert "its versions of Ray and Python must be those of this process" in line
    assert "1.2.3" in line


def test_a_cluster_without_tokens_is_joined_from_a_home_that_has_one(
    cluster: Any, corpus: Path, model: Path, tmp_path: Path
) -> None:
    """Ray writes one when it first starts a cluster; `auto` then used it for clusters that were started before."""
    command = ["parse", str(corpus / "b0.txt"), "--cluster", "auto", "--model", str(model)]
    done = subprocess.run(
        [sys.executable, "-m", "pointree", *command, "--output", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RAY_AUTH_TOKEN": "0" * 64},
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_node_with_another_model(cluster: Any, corpus: Path, model: Path, tmp_path: Path) -> None:
    """What a node finds under the name of the model is not what the driver has."""
    with connected(cluster.address) as joined, pytest.MonkeyPatch.context() as patch:
        patch.setattr("pointree.bulk.run.model_hash", lambda _model: "0" * 64)
        with pytest.raises(ClusterError, match=r"a node of the cluster has another one under this name$"):
            parse_on_cluster(corpus, tmp_path / "out", model=model, actors=1)
        assert joined.slots(threads=1, device="cpu") == 3
        with pytest.raises(ClusterError, match="the cluster has no GPUs"):
            joined.slots(threads=1, device="cuda")
        with pytest.raises(ClusterError, match=r"^threads 2: expected at most 1, as many as a node "):
            joined.slots(threads=2, device="cpu")


def test_cells_of_a_grid_run_on_the_cluster(cluster: Any, tmp_path: Path) -> None:
    from pointree.experiments.remote import remote_program

    program = remote_program(cluster.address, threads=1, device="cpu")
    done = subprocess.run([*program, "--version"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pointree ")
    failed = subprocess.run([*program, "train"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert failed.returncode == 2
    assert failed.stderr == "pointree: error: Missing option '--train'; see pointree train --help\n"


GRID = """
preset = "quick"
systems = ["l2r-sequential"]
[set.encoder]
size = 8
layers = 1
[set.decoder]
size = 8
[set.training]
epochs = 1
[treebanks.ewt]
train = "${EWT}"
dev = "${EWT}"
test = "${EWT}"
"""


def test_a_grid_has_the_same_records_on_the_cluster(
    cluster: Any, ewt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EWT", str(ewt))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid.toml").write_text(GRID)
    records = []
    for name, address in (("here", None), ("there", cluster.address)):
        [status] = pointree.run_experiment(
            "grid.toml", threads_per_job=1, output=f"runs-{name}", results=f"results-{name}", cluster=address
        )
        assert status.state is State.FINISHED, status
        [record] = (tmp_path / f"results-{name}").glob("*.json")
        records.append(json.loads(record.read_text()))
    for record in records:  # what depends on the hour and the machine
        for key in ("finished", "seconds"):
            del record[key]
        del record["dev_curve"]["seconds"]
    assert records[0] == records[1]
    assert records[0]["test"]["words"] > 100
