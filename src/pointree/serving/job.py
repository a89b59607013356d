"""One request as the batcher sees it: sentences to come on one side, rendered results on the other."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Iterable

from pointree.parser import SentenceParser
from pointree.serving.failures import over_limit
from pointree.serving.limits import Limits
from pointree.serving.task import Task
from pointree.treebank.sentence import Sentence

__all__ = ["Job", "Render"]

Render = Callable[[Sentence], str]

_MAX_UNREAD = 500
"""Trees that wait for a client to read them before its job pauses."""

_MAX_TAKE_SECONDS = 0.05
"""Time for reading sentences of one job before others have their turn: a single word may be a megabyte."""


class Job:
    """The work of one request.

    The event loop makes it and reads `results`; the batcher's thread calls `take`, `deliver` and `finish`. Sentences
    are read as they are needed, so a long text is cut into words while its beginning is already on its way back.
    """

    def __init__(
        self, parser: SentenceParser, task: Task, sentences: Iterable[Sentence], render: Render, limits: Limits
    ) -> None:
        self.parser = parser
        self.task = task
        self.limits = limits
        self.render = render
        self.arrival = time.monotonic()
        self.exhausted = False
        self.cancelled = False
        self.n_words = 0
        self.on_read: Callable[[], None] = _nothing
        self._sentences = iter(sentences)
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + limits.seconds
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
        """Whether there is something to do: a client that does not read stops its job."""
        return not self.cancelled and self._n_delivered - self._n_read < _MAX_UNREAD

    def take(self, n_words: int) -> list[Sentence]:
        """The next sentences, of about ``n_words`` words together; none, once `exhausted`.

        A fault of the input, or a limit that it exceeds, is raised when all sentences before it have been taken.
        """
        if self._fault is not None:
            raise self._fault
        taken: list[Sentence] = []
        words = 0
        started = time.monotonic()
        while words < n_words and time.monotonic() - started < _MAX_TAKE_SECONDS:
            try:
                sentence = next(self._sentences, None)
                if sentence is not None:
                    self._check(len(sentence))
            except Exception as error:
                self._fault = error
                if not taken:
                    raise
                break
            if sentence is None:
                self.exhausted = True
                break
            words += len(sentence)
            taken.append(sentence)
        return taken

    def _check(self, sentence_words: int) -> None:
        if sentence_words > self.limits.sentence_words:
            found = f"found one of {sentence_words}"
            message = f"expected sentences of at most {self.limits.sentence_words} words, {found}"
            raise over_limit(self.limits, "sentence_words", message)
        self.n_words += sentence_words
        if self.n_words > self.limits.words:
            message = f"expected at most {self.limits.words} words in a request, found more"
            raise over_limit(self.limits, "words", message)

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
                async with asyncio.timeout_at(self._deadline):
                    item = await self._results.get()
            except TimeoutError:
                message = f"expected to be done within {self.limits.seconds:g} seconds, found more to do"
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
