"""Compare whole pipelines, from raw text to CoNLL-U: UDPipe 1, spaCy, Stanza and models of pointree.

    python benchmarks/peers/pipelines.py --train TRAIN.conllu --dev DEV.conllu --test TEST.conllu --model en [--model …]

UDPipe and spaCy are trained on the treebank first (once: models are kept under --work). Every pipeline then reads the
raw text of the test file with one thread. One table has its speed, memory and size, and its scores by the official
evaluator. README.md beside this file says what is timed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare import LIMIT_S, Peer, PeerError, circumstances, positive, refuse, run_apart, say, size_mb

HERE = Path(__file__).resolve().parent
TRAINING_LIMIT_S = 12 * 3600
"""Seconds after which a training is given up."""

PEERS = {
    "udpipe": Peer("UDPipe", "ufal.udpipe", "ufal.udpipe", ()),
    "spacy": Peer("spaCy", "spacy", "spacy", ()),
    "stanza": Peer("Stanza", "stanza", "stanza", ()),
    "pointree": Peer("pointree", "pointree", "pointree", ()),
}
METRICS = ("Sentences", "Words", "UPOS", "LAS")
BUNDLED = "src/pointree/models/bundled/en"
OLD_FILE = f"{BUNDLED}/text.udpipe"
"""A file that only the English model of version 0.1 has."""


@dataclass(frozen=True)
class Pipeline:
    """One row of the table: a peer, what its model is, and its settings."""

    peer: str
    title: str
    model: Callable[[], Path]
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """Everything that the measurements share."""

    train: Path
    dev: Path
    gold: Path
    text: Path
    work: Path
    seconds: int
    short: bool

    def run(self, peer: str, task: str, **more: Any) -> dict[str, Any]:
        """Let `run_pipeline.py` do a task in a new process; what the peer prints goes to a log."""
        limit = TRAINING_LIMIT_S if task == "prepare" else LIMIT_S
        request = {"peer": peer, "task": task, **more}
        return run_apart("run_pipeline.py", request, self.work / f"{peer}-pipeline.log", limit=limit)

    def trained(self, peer: str) -> Path:
        """The folder of a peer's model, trained now unless it is there."""
        content = b"".join(path.read_bytes() for path in (self.train, self.dev))
        name = f"{peer}-{PEERS[peer].version()}-pipeline{'-short' if self.short else ''}"
        folder = self.work / f"{name}-{self.train.stem}-{hashlib.sha256(content).hexdigest()[:8]}"
        if not folder.is_dir():
            say(f"{peer}: training on {self.train.name}")
            unfinished = folder.with_name(folder.name + ".unfinished")
            unfinished.mkdir(parents=True, exist_ok=True)
            more = {"train": self.train, "dev": self.dev, "model": unfinished, "short": self.short}
            found = self.run(peer, "prepare", **more)
            (unfinished / "training.json").write_text(json.dumps(found))
            unfinished.rename(folder)
        return folder

    def measured(self, pipeline: Pipeline) -> dict[str, Any]:
        """The figures and scores of a pipeline."""
        PEERS[pipeline.peer].version()
        folder = pipeline.model()
        say(f"{pipeline.title}: measuring")
        parsed = self.work / "parsed" / f"{pipeline.title.replace(' ', '-').replace('/', '-')}.conllu"
        parsed.parent.mkdir(exist_ok=True)
        asked = {"model": folder, "settings": pipeline.settings, "text": self.text, "parsed": parsed}
        found = self.run(pipeline.peer, "measure", gold=self.gold, seconds=self.seconds, **asked)
        found["cold_s"] = self.run(pipeline.peer, "cold", **asked)["cold_s"]
        return {**found, "model_mb": size_mb(folder), "scores": scores(self.gold, parsed)}


def scores(gold: Path, parsed: Path) -> dict[str, float]:
    """F1 of the official evaluator, in percent."""
    from udtools import udeval

    found = udeval.evaluate(*(udeval.load_conllu_file(str(path)) for path in (gold, parsed)))
    return {name: 100 * found[name].f1 for name in METRICS}


def old_english(work: Path) -> Path:
    """The English model of version 0.1, out of the history of this repository."""
    folder = work / "en-0.1"
    if not folder.is_dir():
        commit = _git("rev-list", "-1", "HEAD", "--", OLD_FILE).decode().strip()
        if not commit:
            raise PeerError(f"the history of {HERE.parents[1]} has no {OLD_FILE}")
        # The last commit that touched the file wrote it or, where it is gone, removed it.
        if not _git("ls-tree", commit, "--", OLD_FILE):
            commit += "^"
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit, BUNDLED))) as archive:
            unpacked = work / "en-0.1.unfinished"
            archive.extractall(unpacked, filter="data")
        (unpacked / BUNDLED).rename(folder)
    return folder


def _git(*arguments: str) -> bytes:
    ran = subprocess.run(["git", *arguments], cwd=HERE.parents[1], capture_output=True, check=False)
    if ran.returncode:
        raise PeerError(f"git {arguments[0]} failed: {ran.stderr.decode(errors='replace').strip():.200}")
    return ran.stdout


def pipelines(comparison: Comparison, peers: list[str], models: list[str], stanza: Path) -> list[Pipeline]:
    """The rows of the table, in its order."""
    rows: list[Pipeline] = []

    def version(peer: str) -> str:
        try:
            return f"{PEERS[peer].title} {PEERS[peer].version()}"
        except PeerError:
            return PEERS[peer].title

    if "udpipe" in peers:
        rows.append(Pipeline("udpipe", version("udpipe"), lambda: comparison.trained("udpipe")))
    if "spacy" in peers:
        title = f"{version('spacy')} efficiency"
        rows += [
            # UPOS and FEATS come from the morphologizer; without it, this is tagger, lemmatiser and parser.
            Pipeline("spacy", title, lambda: comparison.trained("spacy"), {"without": ["morphologizer"]}),
            Pipeline("spacy", f"{title}, morphologizer", lambda: comparison.trained("spacy")),
        ]
    if "stanza" in peers:
        rows.append(Pipeline("stanza", version("stanza"), lambda: stanza))
    if "pointree" in peers:
        old = Pipeline("pointree", "pointree en of 0.1", lambda: old_english(comparison.work), {"engine": "torch"})
        rows.append(old)
        for model in models:
            rows.append(Pipeline("pointree", f"pointree {model}", lambda model=model: _folder(model)))  # type: ignore[misc]
    return rows


def _folder(model: str) -> Path:
    from pointree.models.registry import resolve_model

    return resolve_model(model)


def print_table(rows: list[dict[str, Any]], errors: list[str]) -> None:
    """Print the rows as Markdown, and below them what went wrong."""
    header = ["pipeline", "computes on", "words/s", "one sentence, p50", "cold start", "memory", "model", *METRICS]
    print(f"| {' | '.join(header)} |")
    print(f"| --- | --- |{' ---: |' * (len(header) - 2)}")
    for row in rows:
        figures = [
            f"{row['words_per_s']:,.0f}",
            f"{row['p50_ms']:.1f} ms",
            f"{row['cold_s']:.2f} s",
            f"{row['memory_mb']:,.0f} MB",
            f"{row['model_mb']:,.1f} MB",
            *(f"{row['scores'][name]:.2f}" for name in METRICS),
        ]
        print(f"| {row['title']} | {row['computes_on']} | {' | '.join(figures)} |")
    if errors:
        print("\nNot measured:\n")
        for error in errors:
            print(f"- {error}")


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    for path in (arguments.train, arguments.dev, arguments.test):
        if not path.is_file():
            refuse(f"{path}: expected a CoNLL-U file, found {'a folder' if path.is_dir() else 'nothing'}")
    arguments.work.mkdir(parents=True, exist_ok=True)
    gold, text = arguments.work / "gold.conllu", arguments.work / "text.txt"
    _write_test(arguments.test, gold, text, arguments.sentences)
    comparison = Comparison(
        arguments.train.resolve(),
        arguments.dev.resolve(),
        gold,
        text,
        arguments.work.resolve(),
        arguments.seconds,
        arguments.short,
    )
    rows: list[dict[str, Any]] = []
    errors: list[str] = []
    stanza = arguments.stanza or arguments.work / "stanza_resources"
    for pipeline in pipelines(comparison, arguments.peer or list(PEERS), arguments.model or ["en"], stanza):
        try:
            rows.append({"title": pipeline.title, **comparison.measured(pipeline)})
        except Exception as error:  # whatever a peer does, the table goes on
            errors.append(f"{pipeline.title}: {' '.join(str(error).split())}")
    machine = circumstances(gold)
    record = {"machine": machine, "rows": rows, "not_measured": errors, "short": arguments.short}
    (arguments.work / "pipelines.json").write_text(json.dumps(record, indent=2) + "\n")
    print(machine, end="\n\n")
    if arguments.short:
        print("The trainings were cut short: their scores mean nothing.", end="\n\n")
    print_table(rows, errors)


def _write_test(test: Path, gold: Path, text: Path, limit: int | None) -> None:
    """The gold sentences, and their raw text, which is all that the pipelines see."""
    from itertools import islice

    from pointree.errors import PointreeError
    from pointree.evaluation.raw_text import raw_text
    from pointree.treebank import read_conllu, write_conllu

    try:
        sentences = list(islice(read_conllu(test), limit))
        if not sentences:
            refuse(f"{test}: expected sentences, found none")
        text.write_text(raw_text(sentences, str(test)) + "\n", encoding="utf-8")
    except PointreeError as error:
        refuse(str(error))
    with open(gold, "w", encoding="utf-8") as stream:
        write_conllu(sentences, stream)


def _arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description="Compare whole pipelines from raw text to CoNLL-U.")
    options.add_argument("--train", type=Path, required=True, help="treebank that UDPipe and spaCy are trained on")
    options.add_argument("--dev", type=Path, required=True, help="treebank that chooses their best epoch")
    options.add_argument("--test", type=Path, required=True, help="treebank whose raw text is parsed")
    options.add_argument("--work", type=Path, default=Path("runs/peers"), help="where models and logs are kept")
    options.add_argument("--peer", choices=PEERS, action="append", help="only this one; may be repeated")
    options.add_argument("--model", action="append", help="name or folder of a model of pointree; may be repeated")
    options.add_argument("--stanza", type=Path, help="folder with the files of Stanza's English models")
    options.add_argument("--sentences", type=positive, help="parse only the first so many sentences")
    options.add_argument("--seconds", type=positive, default=20, help="how long to repeat short runs")
    options.add_argument("--short", action="store_true", help="train for a minute only, to try this script")
    return options.parse_args()


if __name__ == "__main__":
    main()
