"""What all routes of a service share: models, limits, the batcher and the counters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterable
from contextlib import aclosing
from typing import TypeVar

from starlette.requests import Request

from pointree.serving.batcher import DEFAULT_WAIT_SECONDS, Batcher
from pointree.serving.failures import RETRY_AFTER, RequestError, over_limit
from pointree.serving.job import Job, Render
from pointree.serving.limits import Limits
from pointree.serving.metrics import Metrics
from pointree.serving.registry import Registry, ServedModel
from pointree.serving.task import Task
from pointree.treebank.sentence import Sentence

__all__ = ["Service", "while_connected"]

_T = TypeVar("_T")


class Service:
    """Models behind one queue. They may still be loading when the service begins to answer."""

    def __init__(
        self,
        registry: Registry | None = None,
        limits: Limits | None = None,
        *,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
    ) -> None:
        self._registry = registry
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.batcher = Batcher(
            self.limits,
            wait_seconds=wait_seconds,
            report=self.metrics.count_batch,
            report_slice=self.metrics.count_slice,
        )
        self.metrics.watch_queue(self.batcher.__len__)

    @property
    def has_models(self) -> bool:
        """Whether the models are loaded."""
        return self._registry is not None

    @property
    def registry(self) -> Registry:
        """The models; a request that needs them before they are loaded is refused with status 503."""
        if self._registry is None:
            raise RequestError(503, "loading", "the models are still loading; try again", headers=RETRY_AFTER)
        return self._registry

    @registry.setter
    def registry(self, registry: Registry) -> None:
        self._registry = registry

    def new_job(
        self, model: ServedModel, task: Task, sentences: Iterable[Sentence | None], render: Render, *, n_bytes: int
    ) -> Job:
        """A job for this model and a request of so many bytes; it starts when it is given to `collect` or `stream`."""
        return Job(model.parser, task, sentences, render, self.limits, n_bytes * task.cost(1))

    async def collect(self, job: Job, request: Request) -> list[str]:
        """All rendered trees of a job; a client that goes away meanwhile ends it."""
        with self.batcher.accept(job):
            return await while_connected(request, _collect(job))

    async def stream(self, job: Job) -> AsyncGenerator[list[str], None]:
        """Rendered trees of a job as they come; closing the iterator ends the job."""
        with self.batcher.accept(job):
            async with aclosing(job.results()) as results:
                async for texts in results:
                    yield texts


async def while_connected(request: Request, awaitable: Awaitable[_T]) -> _T:
    """Wait for something as long as the client waits for it; the body of the request must have been read."""
    work = asyncio.ensure_future(awaitable)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ConnectionAbortedError("the client closed its connection before the answer was complete")
        return work.result()
    finally:
        work.cancel()
        gone.cancel()


async def _collect(job: Job) -> list[str]:
    found: list[str] = []
    room = job.limits.answer_characters
    async for texts in job.results():
        found += texts
        room -= sum(map(len, texts))
        if room < 0:
            most = job.limits.answer_characters
            message = f"expected an answer of at most {most} characters, found more; ask for fewer sentences at a time"
            raise over_limit(job.limits, "answer_characters", message)
    return found


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
