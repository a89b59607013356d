"""One request as the batcher sees it: sentences to come on one side, rendered results on the other."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from typing import Any

from pointree.parser import Parser
from pointree.serving.failures import over_limit
from pointree.serving.limits import Limits
from pointree.serving.task import Task
from pointree.treebank.sentence import Sentence

__all__ = ["Job", "Render"]

Render = Callable[[Any], str | Iterator[str]]
"""Writes what was found for a sentence: at once, or in pieces where that takes long."""

_MAX_UNREAD = 500
"""Trees that wait for a client to read them before its job pauses."""

_MAX_TAKE_SECONDS = 0.05
"""Time for reading sentences of one job before others have their turn."""


class Job:
    """The work of one request.

    The event loop makes it and reads `results`; the batcher's thread calls `take`, `deliver` and `finish`. Sentences
    are read as they are needed, so a long text is cut into words while its beginning is already on its way back. None
    among them is a pause in the reading.

    Attributes:
        attained: Seconds of work that the job has had; those with little have the next turn.
        size: Roughly how much work the job is: its bytes, times the cost of a word.
        served: When it last had a turn.
        busy: Whether sentences of it are being worked on.
    """

    def __init__(
        self,
        parser: Parser,
        task: Task,
        sentences: Iterable[Sentence | None],
        render: Render,
        limits: Limits,
        size: int = 0,
    ) -> None:
        self.parser = parser
        self.task = task
        self.limits = limits
        self.render = render
        self.arrival = self.served = time.monotonic()
        self.attained = 0.0
        self.size = size
        self.busy = False
        self.exhausted = False
        self.cancelled = False
        self.n_words = 0
        self.on_read: Callable[[], None] = _nothing
        self._sentences = iter(sentences)
        self._held: Sentence | None = None
        self._loop = asyncio.get_running_loop()
        self._deadline = self.arrival + limits.seconds
        self._results: asyncio.Queue[list[str] | Exception | None] = asyncio.Queue()
        self._fault: Exception | None = None
        # Two counters, because each belongs to one thread.
        self._n_delivered = 0
        self._n_read = 0

    @property
    def key(self) -> tuple[int, Task]:
        """Jobs with equal keys can share a batch."""
        return id(self.parser), self.task

    @property
    def ready(self) -> bool:
        """Whether a turn can begin: a client that does not read stops its job."""
        return not (self.over or self.busy) and self._n_delivered - self._n_read < _MAX_UNREAD

    @property
    def over(self) -> bool:
        """Whether nobody waits for the result: the client has gone, or its time is up."""
        return self.cancelled or time.monotonic() > self._deadline

    def take(self, cost: int) -> list[Sentence]:
        """The next sentences, of about this cost together; none, once `exhausted`. One that costs more comes alone.

        A fault of the input, or a limit that it exceeds, is raised when all sentences before it have been taken.
        """
        if self._fault is not None:
            raise self._fault
        taken: list[Sentence] = []
        total = 0
        started = time.monotonic()
        while total < cost and time.monotonic() - started < _MAX_TAKE_SECONDS:
            try:
                sentence = self._next()
            except Exception as error:
                self._fault = error
                if not taken:
                    raise
                break
            if sentence is None:
                if self.exhausted:
                    break
                continue
            total += self.task.cost(len(sentence))
            if total > 2 * cost and taken:
                self._held = sentence
                break
            taken.append(sentence)
        return taken

    def _next(self) -> Sentence | None:
        """The next sentence; None at a pause and, `exhausted`, at the end."""
        if self._held is not None:
            sentence, self._held = self._held, None
            return sentence
        try:
            found = next(self._sentences)
        except StopIteration:
            self.exhausted = True
            return None
        if found is not None:
            self._check(found)
        return found

    def _check(self, sentence: Sentence) -> None:
        limits, n_words = self.limits, len(sentence)
        if n_words > limits.sentence_words:
            message = f"expected sentences of at most {limits.sentence_words} words, found one of {n_words}"
            raise over_limit(limits, "sentence_words", message)
        self.n_words += n_words
        if self.n_words > limits.words:
            raise over_limit(limits, "words", f"expected at most {limits.words} words in a request, found more")
        longest = max(map(len, sentence.forms), default=0)
        if longest > limits.word_characters:
            message = f"expected words of at most {limits.word_characters} characters, found one of {longest}"
            raise over_limit(limits, "word_characters", message)

    def deliver(self, texts: list[str]) -> None:
        """Hand over rendered trees."""
        self._n_delivered += len(texts)
        self._put(texts)

    def finish(self, error: Exception | None = None) -> None:
        """Say that this was all, or why there is no more."""
        self._put(error)

    def _put(self, item: list[str] | Exception | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._results.put_nowait, item)

    async def results(self) -> AsyncGenerator[list[str], None]:
        """Rendered trees, in order and a few at a time, as they come."""
        while True:
            try:
                async with asyncio.timeout(self._deadline - time.monotonic()):
                    item = await self._results.get()
            except TimeoutError:
                message = f"the request took longer than {self.limits.seconds:g} seconds"
                raise over_limit(self.limits, "seconds", message) from None
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
            self._n_read += len(item)
            self.on_read()


def _nothing() -> None:
    pass
