"""Rounds: sentences of one or many jobs that are worked on together, with pauses, and what they may cost."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pointree.errors import PointreeError
from pointree.search.resumable import Resumable
from pointree.serving.job import Job
from pointree.serving.task import run_task
from pointree.treebank.sentence import Sentence

__all__ = ["BatchReport", "Pace", "Part", "Round", "fill_parts"]

logger = logging.getLogger("pointree.serving")

_ROUND_SECONDS = 0.5
"""Time for a round. It can pause, but encoding, which comes first and takes a part of it, cannot."""

_LEAST_COST, _FIRST_COST, _MOST_COST = 100, 500, 2_500
"""The cost of a round: at least, before anything was measured, and at most; see `Task.cost`."""

_TURNS = 10
"""A job adds this part of a round before the next has its turn: one long text leaves room for nine short ones."""

_READ_SECONDS = 0.1
"""Time for reading the sentences of a round: raw text may take any time."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What one round did, for metrics."""

    requests: int
    sentences: int
    words: int
    seconds: float


class Pace:
    """How much a model does in a given time, by what its rounds have taken."""

    def __init__(self) -> None:
        self._rates: dict[int, float] = {}

    def budget(self, job: Job) -> int:
        """The cost of a round for this job's model."""
        rate = self._rates.get(id(job.parser))
        return _FIRST_COST if rate is None else int(min(max(rate * _ROUND_SECONDS, _LEAST_COST), _MOST_COST))

    def learn(self, job: Job, cost: int, seconds: float) -> None:
        """Take a round into account. Small ones say little: most of their time does not depend on their size."""
        if cost < _LEAST_COST or not job.task.parse:
            return
        rate = cost / max(seconds, 1e-3)
        self._rates[id(job.parser)] = 0.7 * self._rates.get(id(job.parser), rate) + 0.3 * rate


@dataclass(slots=True, eq=False)
class Part:
    """What one job has in a round: sentences, and the error that ended their reading."""

    job: Job
    sentences: list[Sentence] = field(default_factory=list)
    error: Exception | None = None

    @property
    def ends(self) -> bool:
        """Whether this is the last part of its job."""
        return self.job.exhausted or self.error is not None

    @property
    def cost(self) -> int:
        """The cost of all sentences."""
        return sum(self.job.task.cost(len(sentence)) for sentence in self.sentences)

    def extend(self, cost: int) -> int:
        """Add sentences of about this cost, and return what they cost."""
        try:
            taken = self.job.take(cost)
        except Exception as error:
            self.fail(error, "reading a request failed")
            return 0
        self.sentences += taken
        return sum(self.job.task.cost(len(sentence)) for sentence in taken)

    def fail(self, error: Exception, what: str) -> None:
        """End the job with an error; one that is not of the request itself goes to the log."""
        self.error = error
        if not isinstance(error, PointreeError):
            logger.error(what, exc_info=error)


def fill_parts(jobs: Sequence[Job], budget: int) -> list[Part]:
    """A round's worth of sentences: a few of each job in turn, and again while there is room."""
    parts: list[Part] = []
    room = budget
    until = time.monotonic() + _READ_SECONDS
    turns = [Part(job) for job in jobs]
    while turns:
        for part in turns:
            parts += [] if part in parts else [part]
            room -= part.extend(budget // _TURNS)
            if room <= 0 or time.monotonic() > until:
                return parts
        turns = [part for part in turns if not part.ends]
    return parts


@dataclass(slots=True, eq=False)
class Round:
    """Parts of jobs that are parsed together, and the work on them."""

    parts: list[Part]
    started: bool = False
    seconds: float = 0.0
    work: Resumable[None] = field(init=False)
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        self.cost = sum(part.cost for part in self.parts)
        self.work = _work([part for part in self.parts if part.sentences])

    @property
    def over(self) -> bool:
        """Whether nobody waits for any of it."""
        return all(part.job.over for part in self.parts)

    @property
    def attained(self) -> float:
        """The least work that one of its jobs has had."""
        return min(part.job.attained for part in self.parts)

    @property
    def served(self) -> float:
        """When it last had a turn."""
        return max(part.job.served for part in self.parts)

    def run(self, seconds: float) -> bool:
        """Work for about this long, or until nobody waits; return whether that is the end."""
        self.started = True
        begin = now = time.monotonic()
        end = False
        while not end and now - begin < seconds:
            end = self.over or next(self.work, _END) is _END
            now = time.monotonic()
        if end:
            self.work.close()
        self.seconds += now - begin
        for part in self.parts:
            part.job.attained += (now - begin) / len(self.parts)
            part.job.served = now
        return end

    def report(self) -> BatchReport:
        """What was done."""
        sentences = [sentence for part in self.parts for sentence in part.sentences]
        return BatchReport(len(self.parts), len(sentences), sum(map(len, sentences)), self.seconds)


_END = object()


def _work(parts: Sequence[Part]) -> Resumable[None]:
    """Do all parts together; if that fails, each alone, so that nobody fails by the fault of another."""
    if not parts:
        return
    first = parts[0].job
    sentences = [sentence for part in parts for sentence in part.sentences]
    try:
        found = iter((yield from run_task(first.parser, sentences, first.task)))
    except Exception as error:
        if len(parts) > 1:
            for part in parts:
                yield from _work([part])
        else:
            parts[0].fail(error, "parsing failed")
        return
    for part in parts:
        results = [result for _ in part.sentences for result in next(found)]
        if part.job.over:
            continue
        try:
            part.job.deliver((yield from _rendered(part.job, results)))
        except Exception as error:
            part.fail(error, "rendering failed")


def _rendered(job: Job, results: Sequence[object]) -> Resumable[list[str]]:
    texts: list[str] = []
    for result in results:
        text = job.render(result)
        if not isinstance(text, str):
            pieces = []
            for piece in text:
                pieces.append(piece)
                yield
            text = "".join(pieces)
        texts.append(text)
        yield
    return texts
