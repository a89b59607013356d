"""The manifest of a job: what its shards are made of, so that no other job mixes with them, and how much is done."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from pointree.bulk.job import BulkJob
from pointree.bulk.shards import ShardReport
from pointree.bulk.sources import Source, state_of
from pointree.bulk.values import as_json
from pointree.errors import UsageError
from pointree.files import atomic_write, remove_leftovers, writing
from pointree.locks import lock_stream
from pointree.version import __version__

__all__ = ["FAILED", "JOB_MANIFEST", "BulkReport", "Manifest", "check_place"]

JOB_MANIFEST, FAILED, SHARDS = "manifest.json", "failed.jsonl", "shards.jsonl"

_WITHOUT_EFFECT = ("batch_words",)
"""Options that change how fast a job is and no tree."""


@dataclass(frozen=True, slots=True)
class BulkReport:
    """What a job has made.

    Attributes:
        folder: The folder of the shards.
        shards: How many there are.
        sentences: How many were parsed, in all runs of the job.
        words: How many words these have.
        failed: How many documents, or sentences of treebanks, are not among them; ``failed.jsonl`` says why.
    """

    folder: Path
    shards: int
    sentences: int
    words: int
    failed: int


class Manifest:
    """The file ``manifest.json`` of a job."""

    def __init__(self, job: BulkJob, sources: Sequence[Source], shard_words: int) -> None:
        self.job = job
        self.path = job.output / JOB_MANIFEST
        options = {name: value for name, value in asdict(job.options).items() if name not in _WITHOUT_EFFECT}
        states = list(state_of(sources))
        self.identity: dict[str, Any] = {
            "pointree": __version__,
            "models": dict(zip(job.models, job.model_hashes, strict=True)),
            "options": options,
            "engine": job.engine,
            "format": job.format,
            "text_column": job.text_column,
            "shard_words": shard_words,
            "inputs": {"files": len(states), "sha256": hashlib.sha256(json.dumps(states).encode()).hexdigest()},
        }

    def check(self) -> BulkReport | None:
        """The report of a job that is done. A folder with the shards of another job, or other files, is refused."""
        with writing(self.job.output):
            found = self._read()
            if found is None:
                self._refuse_other_files()
                return None
            if not self._is_same(found):
                return None
            return None if found.get("report") is None else BulkReport(self.job.output, **found["report"])

    @contextmanager
    def begun(self) -> Iterator[BulkReport | None]:
        """Begin the job, or go on with it, while no other process may; the report if it was done by now."""
        with writing(self.job.output):
            self.job.work.mkdir(parents=True, exist_ok=True)
            lock = (self.job.work / "lock").open("w")
        with lock:
            self._lock(lock)
            if (report := self.check()) is None:
                self._begin()
            yield report

    def _begin(self) -> None:
        with writing(self.job.output):
            found = self._read()
            if found is None or not self._is_same(found):
                self.job.plan.unlink(missing_ok=True)
                for rest in ("done", "numbers"):
                    shutil.rmtree(self.job.work / rest, ignore_errors=True)
                self.write(0, None)
            (self.job.work / "done").mkdir(parents=True, exist_ok=True)
            for folder in (self.job.output, self.job.work, self.job.work / "done"):
                remove_leftovers(folder)

    def _lock(self, stream: IO[Any]) -> None:
        try:
            lock_stream(stream, wait=False)
        except BlockingIOError:
            raise UsageError(f"{self.job.output}: another process is at work on this job; wait until it ends") from None
        except OSError:
            return  # a file system without locks

    def _refuse_other_files(self) -> None:
        """What a process leaves that ended before the manifest was there is no other file."""
        if not self.job.output.exists():
            return
        if not self.job.output.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        for entry in self.job.output.iterdir():
            if entry.name != self.job.work.name and not entry.name.startswith(f".{JOB_MANIFEST}."):
                problem = f"expected an empty folder or that of the same job, found other files ({entry.name})"
                raise UsageError(f"{self.job.output}: {problem}")

    def write(self, done: int, total: int | None, report: BulkReport | None = None) -> None:
        """Say how many shards are done, of how many."""
        content = {
            **self.identity,
            "done": done,
            "shards": total,
            "report": None if report is None else {k: v for k, v in asdict(report).items() if k != "folder"},
        }
        with atomic_write(self.path) as stream:
            stream.write(json.dumps(content, ensure_ascii=False, indent=2) + "\n")

    def finish(self, total: int) -> BulkReport:
        """Gather what is known of all shards, when the last is done, and remove what was needed until then."""
        job, sentences, words, failed = self.job, 0, 0, 0
        with atomic_write(job.output / FAILED) as failures, atomic_write(job.output / SHARDS) as shards:
            for number in range(total):
                report = ShardReport.from_json(job.report(number).read_text(encoding="utf-8"))
                about = {"shard": job.shard(number).name, "sentences": report.sentences, "words": report.words}
                shards.write(json.dumps(about) + "\n")
                for failure in report.failures:
                    failures.write(as_json(asdict(failure)) + "\n")
                sentences += report.sentences
                words += report.words
                failed += len(report.failures)
        found = BulkReport(job.output, total, sentences, words, failed)
        self.write(total, total, found)
        shutil.rmtree(job.work, ignore_errors=True)
        return found

    def _read(self) -> dict[str, Any] | None:
        try:
            content = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise UsageError(f"{self.path}: expected the manifest of a job, found a damaged file ({error})") from None
        if not isinstance(content, dict) or "models" not in content:
            raise UsageError(f"{self.path}: expected the manifest of a bulk job, found something else")
        return content

    def _is_same(self, found: Mapping[str, Any]) -> bool:
        """Whether a manifest is of this job; that of another job is refused, unless nothing was made yet."""
        different = self._differences(found)
        if different and (found.get("report") is not None or any(self.job.output.glob("part-*"))):
            raise UsageError(f"{self.job.output}: holds a job with {'; '.join(different)}; choose another folder")
        return not different

    def _differences(self, found: Mapping[str, Any]) -> list[str]:
        different = []
        for name, value in self.identity.items():
            before = found.get(name)
            if name == "inputs" and before != value:
                different.append("other input files (their names, sizes or times of change)")
            elif name == "models" and before != value:
                same_name = isinstance(before, dict) and list(before) == list(value)
                different.append(
                    "another model" + (" under the same name" if same_name else f" ({', '.join(before or ())})")
                )
            elif name == "options" and isinstance(before, dict):
                changed = [key for key in {**before, **value} if before.get(key) != value.get(key)]
                different += [f"{key} {before.get(key)}, now {value.get(key)}" for key in changed]
            elif before != value:
                different.append(f"{name} {before}, now {value}")
        return different


def check_place(output: Path, inputs: Sequence[str], sources: Sequence[Source]) -> None:
    """Refuse an output folder that holds input, or lies in a folder of it: the next run would read its own shards."""
    place = os.path.realpath(output)
    for name in inputs:
        if os.path.isdir(name) and place.startswith(os.path.join(os.path.realpath(name), "")):
            raise UsageError(f"{output}: expected an output folder outside of the input, found it in {name}")
    for source in sources:
        if os.path.realpath(source.path).startswith(place + os.sep):
            raise UsageError(f"{output}: expected an output folder without input, found {source.title} in it")
