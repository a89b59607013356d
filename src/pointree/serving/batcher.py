"""Micro-batching: one thread owns the parsers and works on sentences of all waiting requests, slice by slice."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pointree.serving.failures import over_limit
from pointree.serving.job import Job
from pointree.serving.limits import Limits
from pointree.serving.rounds import BatchReport, Pace, Round, fill_parts

__all__ = ["Batcher"]

logger = logging.getLogger("pointree.serving")

DEFAULT_WAIT_SECONDS = 0.003

_SLICE_SECONDS = 0.2
"""Time for a round before others have their turn."""

_MOST_OPEN = 4
"""Rounds that pause at the same time, each with its tables in memory; short rounds can always begin."""

_BYTES_PER_WORD = 8
"""Of a request, roughly: with its field names, quotes and commas."""

_OLDEST_EVERY = 4
"""Every so many slices, whoever waits longest has a turn, so that short requests do not starve long ones."""


class Batcher:
    """A queue of jobs and the thread that works on them.

    A round takes sentences of all jobs that can be parsed together with the first one. Rounds run in slices. After each
    slice, the next turn goes to the job or round that has had the fewest slices so far. Among those that have had none,
    jobs that fit into one round come first, then larger ones, and of the same size the one that has waited longest: a
    short request waits for the end of a slice and for other short requests before it, not for large ones. Jobs that
    nobody waits for any more end with the slice.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
        report: Callable[[BatchReport], None] | None = None,
        report_slice: Callable[[float], None] | None = None,
    ) -> None:
        self._limits = limits
        self._wait_seconds = wait_seconds
        self._report = report
        self._report_slice = report_slice
        self._jobs: list[Job] = []
        self._rounds: list[Round] = []
        self._pace = Pace()
        self._turns = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._busy_since: float | None = None
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
    def accepts(self) -> bool:
        """Whether jobs are being worked on, and will be."""
        return self._thread.is_alive() and not self._stopping

    @property
    def silent_seconds(self) -> float:
        """For how long the thread has been busy with one slice; 0 if it waits for jobs."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    def __len__(self) -> int:
        """The number of jobs that are accepted and not done."""
        return len(self._jobs)

    @contextmanager
    def accept(self, job: Job) -> Iterator[Job]:
        """Queue a job for as long as somebody waits for it; a full queue is a `RequestError` with status 503."""
        with self._changed:
            if len(self._jobs) >= self._limits.queue:
                message = f"the service has its maximum of {self._limits.queue} requests; try again later"
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
        while (turn := self._next_turn()) is not None:
            started = self._busy_since = time.monotonic()
            if isinstance(turn, Round):
                self._continue(turn)
            else:
                self._begin(turn)
            self._busy_since = None
            if self._report_slice is not None:
                self._report_slice(time.monotonic() - started)

    def _next_turn(self) -> Round | list[Job] | None:
        """A round to go on with, or jobs to begin one with; nothing when all is over."""
        with self._changed:
            while True:
                rounds = self._runnable()
                jobs = sorted((job for job in self._jobs if job.ready), key=self._rank)
                if not rounds and not jobs:
                    if self._stopping:
                        return None
                    self._changed.wait()
                    continue
                if not rounds and not self._stopping:
                    patience = min(job.arrival for job in jobs) + self._wait_seconds - time.monotonic()
                    if patience > 0:
                        self._changed.wait(patience)
                        continue
                self._turns += 1
                waiting: list[Round | Job] = [*jobs, *rounds]
                if self._turns % _OLDEST_EVERY:
                    chosen = min(waiting, key=self._rank)
                else:
                    chosen = min(waiting, key=lambda each: each.served)
                if isinstance(chosen, Round):
                    return chosen
                return [chosen, *(job for job in jobs if job.key == chosen.key and job is not chosen)]

    def _rank(self, each: Round | Job) -> tuple[int, int, float]:
        """What comes first: few slices so far, then a small size, then a long wait.

        Sizes are compared by their number of bits alone. Were they compared exactly, requests that are a little smaller
        could come before another one for as long as there are any.
        """
        if isinstance(each, Round):
            _slices, bits, _served = min(self._rank(part.job) for part in each.parts)
        else:
            bits = (each.size // (_BYTES_PER_WORD * self._pace.budget(each))).bit_length()
        return int(each.attained / _SLICE_SECONDS), bits, each.served

    def _runnable(self) -> list[Round]:
        """The rounds that can go on, or begin without too much in memory."""
        room = _MOST_OPEN - sum(each.started for each in self._rounds)
        by_attained = sorted(self._rounds, key=lambda each: each.attained)
        waiting = [each for each in by_attained if not each.started]
        short = [each for each in waiting if each.cost <= 2 * self._pace.budget(each.parts[0].job)]
        fresh = [each for each in waiting if each not in short][: max(room, 0)]
        over = [each for each in waiting if each.over]
        return [each for each in self._rounds if each.started or each in short or each in fresh or each in over]

    def _begin(self, jobs: list[Job]) -> None:
        """Read sentences of jobs for one round; those that cost much get rounds of their own."""
        started = time.monotonic()
        budget = self._pace.budget(jobs[0])
        parts = fill_parts(jobs, budget)
        now = time.monotonic()
        for part in parts:
            part.job.busy = True
            part.job.served = now
            part.job.attained += (now - started) / len(parts)
        together = [part for part in parts if part.cost <= budget]
        rounds = [Round([part]) for part in parts if part.cost > budget] if len(parts) > 1 else []
        rounds += [Round(together if len(parts) > 1 else parts)] if together or not rounds else []
        self._rounds += rounds
        if len(rounds) == 1 and rounds[0].cost <= budget:
            self._continue(rounds[0])

    def _continue(self, current: Round) -> None:
        """Work on a round for a slice."""
        if not current.run(_SLICE_SECONDS):
            return
        self._rounds.remove(current)
        if not current.over:
            job = current.parts[0].job
            self._pace.learn(job, current.cost, current.seconds)
            if self._report is not None and any(part.sentences for part in current.parts):
                self._report(current.report())
        with self._changed:
            for part in current.parts:
                part.job.busy = False
                if part.ends:
                    part.job.finish(part.error)
                    if part.job in self._jobs:
                        self._jobs.remove(part.job)
