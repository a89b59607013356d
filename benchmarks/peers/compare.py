"""Compare the speed of dependency parsers on one treebank: UDPipe 1, spaCy, Stanza and pointree.

    python benchmarks/peers/compare.py --train TRAIN.conllu --file FILE.conllu [--work DIR] [--peer NAME …]

Each peer is trained for about a minute (once: models are kept under --work) and then parses the file, from CoNLL-U with
gold words and tags to CoNLL-U. README.md beside this file says what is timed. The table goes to standard output.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from treebank import blocks, words_of, write_blind

HERE = Path(__file__).resolve().parent
LIMIT_S = 3600
"""Seconds after which a peer is given up."""

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


class PeerError(Exception):
    """A peer that cannot be measured, and why, in one line."""


@dataclass(frozen=True)
class Mode:
    """How many cores are used, and how."""

    title: str
    threads: int = 1
    processes: int = 1


ONE, THREADS, PROCESSES = Mode("1 thread"), Mode("2 threads", threads=2), Mode("2 processes", processes=2)
MODES = (ONE, THREADS, PROCESSES)


@dataclass(frozen=True)
class Variant:
    """One row of the table: settings of a peer, and the modes that it has."""

    title: str
    modes: tuple[Mode, ...]
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Peer:
    """A parser that can be measured; `NAME_peer.py` knows how."""

    title: str
    distribution: str
    module: str
    variants: tuple[Variant, ...]

    def version(self) -> str:
        """The installed version; a `PeerError` if there is none."""
        try:
            if importlib.util.find_spec(self.module) is not None:
                return importlib.metadata.version(self.distribution)
        except ImportError:
            pass
        raise PeerError(f"{self.distribution} is not installed in {sys.prefix}: see {HERE.name}/README.md")


PEERS = {
    "udpipe": Peer(
        "UDPipe",
        "ufal.udpipe",
        "ufal.udpipe",
        (
            Variant("beam 5 (default)", (ONE, PROCESSES), {"beam": 5}),
            Variant("beam 1", (ONE, PROCESSES), {"beam": 1}),
        ),
    ),
    "spacy": Peer("spaCy", "spacy", "spacy", (Variant("efficiency", (ONE, PROCESSES)),)),
    "stanza": Peer("Stanza", "stanza", "stanza", (Variant("depparse, gold tags", (ONE, THREADS)),)),
    "pointree": Peer(
        "pointree",
        "pointree",
        "pointree",
        (Variant("greedy", MODES, {"beam": 1}), Variant("beam 10", MODES, {"beam": 10})),
    ),
}


@dataclass(frozen=True)
class Comparison:
    """Everything that the measurements share."""

    train: Path
    blind: Path
    work: Path
    model: Path | None
    precision: str
    seconds: int

    def run(self, name: str, task: str, mode: Mode, **more: Any) -> dict[str, Any]:
        """Let `run_peer.py` do a task in a new process; what the peer prints goes to a log."""
        request = {"peer": name, "task": task, "threads": mode.threads, "processes": mode.processes, **more}
        return run_apart("run_peer.py", request, self.work / f"{name}.log", threads=mode.threads)

    def model_of(self, name: str) -> Path:
        """The folder of a peer's model, made now unless it is there."""
        if name == "pointree" and self.model is not None:
            return self.model
        digest = hashlib.sha256(self.train.read_bytes()).hexdigest()[:8]
        folder = self.work / f"{name}-{PEERS[name].version()}-{self.train.stem}-{digest}"
        if not folder.is_dir():
            say(f"{name}: making a model of {self.train.name}")
            unfinished = folder.with_name(folder.name + ".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            self.run(name, "prepare", ONE, train=self.train, model=unfinished)
            unfinished.rename(folder)
        return folder

    def measure(self, name: str, variant: Variant, mode: Mode) -> dict[str, Any]:
        """Words a second and memory of a peer."""
        say(f"{name}: {variant.title}, {mode.title}")
        settings = {**variant.settings, "precision": self.precision}
        model = self.model_of(name)
        return self.run(name, "measure", mode, model=model, settings=settings, file=self.blind, seconds=self.seconds)

    def rows(self, name: str) -> tuple[list[list[str]], list[str]]:
        """The table's rows of a peer, and the errors that it met."""
        peer = PEERS[name]
        try:
            title = f"{peer.title} {peer.version()}"
            size = f"{size_mb(self.model_of(name)):,.1f}"
        except PeerError as error:
            return [[peer.title, "not measured", *["–"] * 5]], [f"{peer.title}: {error}"]
        rows, errors = [], []
        for variant in peer.variants:
            speeds, memories = [], []
            for mode in MODES:
                speed = memory = "–"
                if mode in variant.modes:
                    try:
                        found = self.measure(name, variant, mode)
                        speed, memory = f"{found['words_per_s']:,.0f}", f"{found['memory_mb']:,.0f}"
                    except PeerError as error:
                        speed = "failed"
                        errors.append(f"{title}, {variant.title}, {mode.title}: {error}")
                speeds.append(speed)
                memories.append(memory)
            settings = f"{variant.title}, {self.precision}" if name == "pointree" else variant.title
            rows.append([title, settings, *speeds, " / ".join(memories), size])
        return rows, errors


def run_apart(
    script: str, request: dict[str, Any], log: Path, *, threads: int = 1, limit: int = LIMIT_S
) -> dict[str, Any]:
    """The answer of a script beside this one to a request, in a new process of so many threads.

    What it prints goes to the log; it is given up after ``limit`` seconds.
    """
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))}
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch, open(log, "ab") as output:
        asked, answered = Path(scratch, "request.json"), Path(scratch, "answer.json")
        asked.write_text(json.dumps(request, default=str))
        command = [sys.executable, str(HERE / script), str(asked), str(answered)]
        try:
            status = subprocess.run(
                command, stdout=output, stderr=output, env=environment, timeout=limit, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            raise PeerError(f"gave up after {limit} s; see {log}") from None
        answer = json.loads(answered.read_text()) if answered.exists() else {"error": f"ended with code {status}"}
    if "error" in answer:
        raise PeerError(f"{answer['error']} (log: {log})")
    return dict(answer)


def say(text: str) -> None:
    """Tell what is going on, on standard error."""
    print(text, file=sys.stderr, flush=True)


def refuse(reason: str) -> NoReturn:
    """End with the code of a user's error and one line."""
    say(reason)
    sys.exit(2)


def size_mb(folder: Path) -> float:
    """What a model takes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def circumstances(file: Path) -> str:
    """The file, the machine and the libraries, for the line above the table."""
    n_sentences = sum(1 for _ in blocks(file))
    parts = [f"{file.name}: {n_sentences:,} sentences, {words_of(file):,} words", f"{_cpu()}, {os.cpu_count()} cores"]
    libraries = [f"Python {platform.python_version()}"]
    for name in ("torch", "numpy", "thinc"):
        try:
            libraries.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return "; ".join([*parts, ", ".join(libraries)])


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def print_table(rows: list[list[str]], errors: list[str]) -> None:
    """Print the rows as Markdown, and below them what went wrong."""
    speeds = [f"words/s, {mode.title}" for mode in MODES]
    header = ["parser", "settings", *speeds, "memory in MB, in this order", "model in MB"]
    print(f"| {' | '.join(header)} |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    if errors:
        print("\nNot measured:\n")
        for error in errors:
            print(f"- {error}")


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    for path in (arguments.train, arguments.file):
        if not path.is_file():
            refuse(f"{path}: expected a CoNLL-U file, found {'a folder' if path.is_dir() else 'nothing'}")
    if arguments.model is not None and not arguments.model.is_dir():
        refuse(f"--model {arguments.model}: expected the folder of a model, found none")
    for name in arguments.peer or ():
        try:
            PEERS[name].version()
        except PeerError as error:
            refuse(f"--peer {name}: {error}")
    arguments.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        blind = Path(scratch, arguments.file.name)
        write_blind(arguments.file, blind, arguments.sentences)
        if not words_of(blind):
            refuse(f"{arguments.file}: expected sentences, found none")
        comparison = Comparison(
            arguments.train.resolve(), blind, arguments.work, arguments.model, arguments.precision, arguments.seconds
        )
        rows, errors = [], []
        for name in arguments.peer or PEERS:
            found = comparison.rows(name)
            rows += found[0]
            errors += found[1]
        print(circumstances(blind), end="\n\n")
    print_table(rows, errors)


def _arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description="Compare the speed of dependency parsers on one treebank.")
    options.add_argument("--train", type=Path, required=True, help="treebank for the short trainings")
    options.add_argument("--file", type=Path, required=True, help="treebank to parse")
    options.add_argument("--work", type=Path, default=Path("runs/peers"), help="where models and logs are kept")
    options.add_argument("--peer", choices=PEERS, action="append", help="only this one; may be repeated")
    options.add_argument("--model", type=Path, help="a model of pointree, instead of random weights")
    options.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="of pointree")
    options.add_argument("--sentences", type=positive, help="parse only the first so many sentences")
    options.add_argument("--seconds", type=positive, default=6, help="how long to repeat short runs")
    return options.parse_args()


def positive(text: str) -> int:
    """A whole number of at least 1, for an option."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, found {text}")
    return int(text)


if __name__ == "__main__":
    main()
