"""Micro-batching: one thread owns the parsers and parses sentences of all waiting requests together."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pointree.errors import PointreeError
from pointree.serving.failures import over_limit
from pointree.serving.job import Job
from pointree.serving.limits import Limits
from pointree.serving.task import run_task
from pointree.treebank.sentence import Sentence

__all__ = ["BatchReport", "Batcher"]

logger = logging.getLogger("pointree.serving")

DEFAULT_WAIT_SECONDS = 0.003
_ROUND_WORDS = 2_500
"""Words parsed in one round; what arrives meanwhile waits for its end."""

_SLICE_WORDS = 250
"""Words that a request adds before the next has its turn: one long text leaves room for nine short ones."""


_READ_SECONDS = 0.1
"""Time for reading the sentences of a round: text without white space or sentence ends may take any time."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What one round did, for metrics."""

    requests: int
    sentences: int
    words: int
    seconds: float


@dataclass(slots=True, eq=False)
class _Part:
    """What one job has in a round: sentences, and the error that ended their reading."""

    job: Job
    sentences: list[Sentence] = field(default_factory=list)
    error: Exception | None = None

    @property
    def ends(self) -> bool:
        """Whether this is the last part of its job."""
        return self.job.exhausted or self.error is not None


class Batcher:
    """A queue of jobs and the thread that works on them.

    Each round takes sentences of all jobs that can be parsed together with the one that waits longest: slice by slice
    in turn, until the round is full. Whoever had a part and is not done goes to the end of the queue.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
        report: Callable[[BatchReport], None] | None = None,
    ) -> None:
        self._limits = limits
        self._wait_seconds = wait_seconds
        self._report = report
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="pointree-batcher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> None:
        """Finish what is queued and end the thread; wait no longer than this for it."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join(seconds)

    @property
    def is_alive(self) -> bool:
        """Whether jobs are being worked on."""
        return self._thread.is_alive()

    def __len__(self) -> int:
        """The number of jobs that are accepted and not done."""
        return len(self._jobs)

    @contextmanager
    def accept(self, job: Job) -> Iterator[Job]:
        """Queue a job for as long as somebody waits for it; a full queue is a `RequestError` with status 503."""
        with self._changed:
            if len(self._jobs) >= self._limits.queue:
                message = f"expected at most {self._limits.queue} requests at a time, found as many waiting; try again"
                raise over_limit(self._limits, "queue", message)
            job.on_read = self._wake
            self._jobs.append(job)
            self._changed.notify()
        try:
            yield job
        finally:
            with self._changed:
                job.cancelled = True
                if job in self._jobs:
                    self._jobs.remove(job)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify()

    def _run(self) -> None:
        while jobs := self._next_jobs():
            parts = self._read(jobs)
            self._parse([part for part in parts if part.sentences])
            for part in parts:
                if part.ends:
                    part.job.finish(part.error)
            self._requeue(parts)

    def _next_jobs(self) -> list[Job]:
        """Jobs that can be parsed together, the one that waits longest first; none when all is over."""
        with self._changed:
            while True:
                first = next((job for job in self._jobs if job.ready), None)
                if first is None:
                    if self._stopping:
                        return []
                    self._changed.wait()
                    continue
                patience = first.arrival + self._wait_seconds - time.monotonic()
                if patience <= 0 or self._stopping:
                    return [job for job in self._jobs if job.ready and job.key == first.key]
                self._changed.wait(patience)

    def _read(self, jobs: Sequence[Job]) -> list[_Part]:
        """A round's worth of sentences: a slice of each job in turn, and again while there is room."""
        parts: list[_Part] = []
        room = _ROUND_WORDS
        until = time.monotonic() + _READ_SECONDS
        turns = [_Part(job) for job in jobs]
        while turns:
            for part in turns:
                parts += [] if part in parts else [part]
                room -= _extend(part)
                if room <= 0 or time.monotonic() > until:
                    return parts
            turns = [part for part in turns if not part.ends]
        return parts

    def _parse(self, parts: list[_Part]) -> None:
        """Parse all parts together; if that fails, each alone, so that nobody fails by the fault of another."""
        if not parts:
            return
        started = time.monotonic()
        try:
            found = _parse_together(parts)
        except Exception as error:
            if len(parts) > 1:
                for part in parts:
                    self._parse([part])
            else:
                _fail(parts[0], error, "parsing failed")
            return
        for part, trees in zip(parts, found, strict=True):
            try:
                part.job.deliver([part.job.render(tree) for tree in trees])
            except Exception as error:
                _fail(part, error, "rendering failed")
        if self._report is not None:
            sentences = sum(len(part.sentences) for part in parts)
            words = sum(len(sentence) for part in parts for sentence in part.sentences)
            self._report(BatchReport(len(parts), sentences, words, time.monotonic() - started))

    def _requeue(self, parts: Sequence[_Part]) -> None:
        with self._changed:
            for part in parts:
                if part.job in self._jobs:
                    self._jobs.remove(part.job)
                    if not part.ends:
                        self._jobs.append(part.job)


def _extend(part: _Part) -> int:
    """Add a slice to a part and return its number of words."""
    try:
        taken = part.job.take(_SLICE_WORDS)
    except Exception as error:
        _fail(part, error, "reading a request failed")
        return 0
    part.sentences += taken
    return sum(map(len, taken))


def _fail(part: _Part, error: Exception, what: str) -> None:
    """End a request with an error; one that is not of the request itself goes to the log."""
    part.error = error
    if not isinstance(error, PointreeError):
        logger.error(what, exc_info=error)


def _parse_together(parts: Sequence[_Part]) -> list[list[Any]]:
    """All that was found for the sentences of each part."""
    first = parts[0].job
    sentences = [sentence for part in parts for sentence in part.sentences]
    found = iter(run_task(first.parser, sentences, first.task))
    return [[tree for _ in part.sentences for tree in next(found)] for part in parts]
