"""Words per second of bulk parsing on this machine: Ray with one and two actors, --workers, and plain processes.

    python benchmarks/scale/throughput.py --sentences 2000 --rounds 2

All ways parse the same text. They take turns, round by round, so that other work on the machine slows all of them
alike; what counts are the ratios. The time of starting processes and loading models is taken off: it is that of a run
over a few sentences. The CPU time of all processes of a way (Ray's own included) depends less on other work than the
time that passes: on a busy machine, compare words per CPU second.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EWT = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "ewt.conllu"
PARSE = [sys.executable, "-m", "pointree", "parse"]


def write_text(folder: Path, sentences: int, files: int) -> int:
    """Write short sentences, one a paragraph, to files of the same size; returns the number of words."""
    from pointree.treebank.conllu import read_conllu

    short = [sentence for sentence in read_conllu(EWT) if len(sentence) <= 15]
    folder.mkdir(parents=True)
    words = 0
    for number in range(files):
        chosen = [short[place % len(short)] for place in range(number, sentences, files)]
        words += sum(map(len, chosen))
        (folder / f"{number}.txt").write_text("\n\n".join(sentence.text for sentence in chosen) + "\n", "utf-8")
    return words


def seconds(*commands: list[str]) -> tuple[float, float]:
    """How long commands take that run at the same time, and the CPU time of all their processes."""
    started = time.perf_counter()
    running = [subprocess.Popen([*PARSE, *command], stdout=subprocess.DEVNULL) for command in commands]
    used: dict[int, float] = {}
    while any(process.poll() is None for process in running):
        used |= cpu_seconds([process.pid for process in running])
        time.sleep(0.1)
    if any(process.returncode for process in running):
        sys.exit("a command failed")
    return time.perf_counter() - started, sum(used.values())


def cpu_seconds(roots: list[int]) -> dict[int, float]:
    """The CPU time of processes and of all that they started, by process."""
    found: dict[int, tuple[int, float]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        found[int(status.parent.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    members = set(roots)
    while more := {pid for pid, (started_by, _time) in found.items() if started_by in members} - members:
        members |= more
    return {pid: found[pid][1] for pid in members if pid in found}


def ways(text: Path, out: Path, model: str, shard_words: int) -> dict[str, list[list[str]]]:
    """The commands of each way to parse the two files."""
    files = sorted(str(path) for path in text.iterdir())
    own = ["--model", model, "--threads", "1", "--quiet"]
    bulk = [str(text), "--cluster", "local", "--shard-words", str(shard_words), *own]
    return {
        "one process": [[*files, *own, "--output", str(out / "one.conllu")]],
        "two processes": [[file, *own, "--output", str(out / f"{n}.conllu")] for n, file in enumerate(files)],
        "--workers 2": [[*files, *own, "--workers", "2", "--output", str(out / "workers.conllu")]],
        "1 actor": [[*bulk, "--actors", "1", "--output", str(out / "ray1")]],
        "2 actors": [[*bulk, "--actors", "2", "--output", str(out / "ray2")]],
    }


def measure(sentences: int, rounds: int, model: str, shard_words: int) -> dict[str, list[tuple[float, float]]]:
    """The words per second of each way in each round, and per CPU second, without what starting takes."""
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        few, many = write_text(root / "few", 20, 2), write_text(root / "many", sentences, 2)
        for number in range(rounds):
            for name in ways(root, root, model, shard_words):
                times = {}
                for text in ("few", "many"):
                    out = root / "out"
                    out.mkdir()
                    times[text] = seconds(*ways(root / text, out, model, shard_words)[name])
                    shutil.rmtree(out)
                passed, used = (end - start for start, end in zip(times["few"], times["many"], strict=True))
                found.setdefault(name, []).append(((many - few) / passed, (many - few) / used))
                print(json.dumps({"round": number, "way": name, **times}), flush=True)
    return found


def dispatch_rate(units: int = 1_000) -> float:
    """How many units that are no work at all two actors take a second: what the driver can hand out."""
    import warnings

    import ray

    class Nothing:
        def __call__(self, batch: dict[str, list[int]]) -> dict[str, list[int]]:
            return batch

    ray.init(address="local", num_cpus=2, object_store_memory=200_000_000, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = ray.data.from_items([{"unit": number} for number in range(units)], override_num_blocks=units)
        pool = ray.data.ActorPoolStrategy(size=2, max_tasks_in_flight_per_actor=2)
        rows = iter(dataset.map_batches(Nothing, batch_size=1, compute=pool, num_cpus=1).iter_rows())
        next(rows)  # the actors have started
        started = time.perf_counter()
        count = sum(1 for _row in rows)
    ray.shutdown()
    return count / (time.perf_counter() - started)


def main() -> None:
    """Measure, and print the ratios."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sentences", type=int, default=2_000)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--model", default="en")
    options.add_argument("--shard-words", type=int, default=2_000)
    chosen = options.parse_args()
    found = measure(chosen.sentences, chosen.rounds, chosen.model, chosen.shard_words)
    for place, unit in enumerate(("second", "CPU second")):
        medians = {name: statistics.median(each[place] for each in speeds) for name, speeds in found.items()}
        summary = {
            f"words per {unit}": {name: round(speed) for name, speed in medians.items()},
            "2 actors / two processes": round(medians["2 actors"] / medians["two processes"], 3),
            "2 actors / --workers 2": round(medians["2 actors"] / medians["--workers 2"], 3),
            "2 actors / 1 actor": round(medians["2 actors"] / medians["1 actor"], 3),
        }
        print(json.dumps(summary, indent=2), flush=True)
    print(json.dumps({"dispatch_units_per_s": round(dispatch_rate(), 1)}))


if __name__ == "__main__":
    main()
