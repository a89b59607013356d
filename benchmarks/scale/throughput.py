"""Words per second of bulk parsing on this machine: Ray with one and two actors, --workers, and plain processes.

    python benchmarks/scale/throughput.py

All ways parse the same text. They take turns, round by round, so that other work on the machine slows all of them
alike; what counts are the ratios. The clock runs from when every process of a way has delivered its first trees (of a
window of sentences, or of a shard) to when the last of them is there: starting, loading models and stopping are on no
side. The CPU time of all processes of a way (Ray's own included) in the same span depends less on other work than the
time that passes: on a busy machine, compare words per CPU second, of which Ray's helpers take more the longer a job
lasts. Six minutes on two idle cores.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

EWT = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "ewt.conllu"
PARSE = [sys.executable, "-m", "pointree", "parse"]
EVERY = 0.1
"""Seconds between two looks at the output."""


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


@dataclass
class Way:
    """A way to parse all text: commands that run at the same time, and how its output shows what they have done.

    Attributes:
        commands: The arguments of each command.
        delivered: How many bytes of trees there are in the output folder.
        at_work: Whether every process has loaded its model, by the output folder.
    """

    commands: list[list[str]]
    delivered: Callable[[Path], int]
    at_work: Callable[[Path], bool]


@dataclass
class Span:
    """What was done when: bytes that were there, and the CPU seconds that all processes had used."""

    sizes: list[tuple[float, int]] = field(default_factory=list)
    used: list[tuple[float, float]] = field(default_factory=list)
    working: int | None = None

    def look(self, size: int, at_work: bool) -> bool:
        """Take note of what there is; whether it has changed."""
        if self.working is None and at_work:
            self.working = size
        if self.sizes and size == self.sizes[-1][1]:
            return False
        self.sizes.append((time.perf_counter(), size))
        return True

    def speeds(self, words: int) -> tuple[float, float]:
        """Words per second and per CPU second, from the first delivery of all to the last one.

        A delivery takes a moment, in which the size grows: its end counts.
        """
        if self.working is None:
            sys.exit("not all processes were seen at work: parse more sentences, or smaller shards")
        ends = [time for time, _size in self.sizes[1:]] + [float("inf")]
        first = next(
            place
            for place, ((begin, size), end) in enumerate(zip(self.sizes, ends, strict=True))
            if size > self.working and end - begin > 3 * EVERY
        )
        (start, before), (end, size) = self.sizes[first], self.sizes[-1]
        done = words * (size - before) / size
        return done / (end - start), done / (self._cpu(end) - self._cpu(start))

    def _cpu(self, moment: float) -> float:
        return next((used for when, used in self.used if when >= moment), self.used[-1][1])


def watch(way: Way, out: Path) -> Span:
    """Run the commands of a way, and look at what they do."""
    span, cpu = Span(), dict[int, float]()
    running = [subprocess.Popen([*PARSE, *command], stdout=subprocess.DEVNULL) for command in way.commands]
    while any(process.poll() is None for process in running):
        if span.look(way.delivered(out), way.at_work(out)) or time.perf_counter() - span.used[-1][0] > 1:
            cpu |= cpu_seconds([process.pid for process in running])  # seldom: it takes milliseconds itself
            span.used.append((time.perf_counter(), sum(cpu.values())))
        time.sleep(EVERY)
    if any(process.returncode for process in running):
        sys.exit("a command failed")
    return span


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


def sizes(out: Path, pattern: str) -> list[int]:
    found = []
    for path in out.glob(pattern):
        try:
            found.append(path.stat().st_size)
        except OSError:
            continue  # it has just got its own name
    return found


def ways(text: Path, out: Path, model: str, shard_words: int) -> dict[str, Way]:
    """Each way to parse the two files."""
    files = sorted(str(path) for path in text.iterdir())
    own = ["--model", model, "--threads", "1", "--quiet"]

    def plain(count: int, *commands: list[str]) -> Way:
        """Processes that write a file each, which is there under another name until it is complete."""

        def delivered(out: Path) -> int:
            return sum(sizes(out, "*.conllu*"))

        def at_work(out: Path) -> bool:
            return sum(size > 0 for size in sizes(out, "*.conllu*")) >= count

        return Way([[*command, *own] for command in commands], delivered, at_work)

    def bulk(actors: int) -> Way:
        """An actor that is at work has a shard under another name; those that are complete count."""

        def delivered(out: Path) -> int:
            return sum(sizes(out / "ray", "part-*.conllu"))

        def at_work(out: Path) -> bool:
            return len(sizes(out / "ray", ".part-*.tmp")) >= actors

        job = [str(text), "--cluster", "local", "--shard-words", str(shard_words), "--actors", str(actors)]
        return Way([[*job, *own, "--output", str(out / "ray")]], delivered, at_work)

    return {
        "one process": plain(1, [*files, "--output", str(out / "one.conllu")]),
        "two processes": plain(2, *([file, "--output", str(out / f"{n}.conllu")] for n, file in enumerate(files))),
        "--workers 2": plain(1, [*files, "--workers", "2", "--output", str(out / "workers.conllu")]),
        "1 actor": bulk(1),
        "2 actors": bulk(2),
    }


def measure(chosen: argparse.Namespace) -> dict[str, list[tuple[float, float]]]:
    """The words per second of each way in each round, and per CPU second."""
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        words = write_text(Path(folder, "text"), chosen.sentences, 2)
        for number in range(chosen.rounds):
            for name in chosen.ways:
                out = Path(folder, f"{number}-{name}")
                out.mkdir()
                way = ways(Path(folder, "text"), out, chosen.model, chosen.shard_words)[name]
                speeds = watch(way, out).speeds(words)
                found.setdefault(name, []).append(speeds)
                passed, used = map(round, speeds)
                print(json.dumps({"round": number, "way": name, "words_per_s": passed, "per_cpu_s": used}), flush=True)
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
    names = list(ways(EWT.parent, EWT.parent, "en", 1))
    options.add_argument("--sentences", type=int, default=30_000)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--model", default="en")
    options.add_argument("--shard-words", type=int, default=10_000)
    options.add_argument("--ways", nargs="+", choices=names, default=names, help="Only these (default: all).")
    options.add_argument("--dispatch", action="store_true", help="Also how many empty units are handed out a second.")
    chosen = options.parse_args()
    found = measure(chosen)
    ratios = [("2 actors", "two processes"), ("2 actors", "--workers 2"), ("2 actors", "1 actor")]
    for place, unit in enumerate(("second", "CPU second")):
        medians = {name: statistics.median(each[place] for each in speeds) for name, speeds in found.items()}
        summary = {
            f"words per {unit}": {name: round(speed) for name, speed in medians.items()},
            **{
                f"{one} / {other}": round(medians[one] / medians[other], 3)
                for one, other in ratios
                if one in medians and other in medians
            },
        }
        print(json.dumps(summary, indent=2), flush=True)
    if chosen.dispatch:
        print(json.dumps({"dispatch_units_per_s": round(dispatch_rate(), 1)}))


if __name__ == "__main__":
    main()
