"""Parsing with several processes: each has the model and a share of the cores, and takes windows of sentences in turn.

On a CPU, two processes of one thread each parse more than one process of two threads: nothing waits at the end of
every product.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from pointree.errors import ModelError, PointreeError
from pointree.options import ParseOptions
from pointree.running.batching import windows
from pointree.treebank.sentence import Sentence

__all__ = ["parse_with_workers"]

logger = logging.getLogger("pointree.messages")

Message = tuple[int, str]
"""The level and the text of a notice or a warning."""

_WINDOW_SENTENCES = 512
_parser: Any = None  # the worker process's own parser
_problem: str | None = None  # why it has none
_messages: list[Message] = []  # what the worker has to tell with its next window


class _Collector(logging.Handler):
    """Keeps the messages of a worker for the process that shows them."""

    def emit(self, record: logging.LogRecord) -> None:
        _messages.append((record.levelno, record.getMessage()))


def _start(load: Callable[[], Any], threads: int, level: int) -> None:
    """Load the parser; runs once in every worker. Why it could not be loaded is the answer to the first window."""
    from pointree.running.threads import prepare_process

    global _parser, _problem
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one ends the others
    prepare_process(threads)
    logger.setLevel(level)
    logger.propagate = False
    logger.addHandler(_Collector())
    try:
        _parser = load()
    except PointreeError as error:
        _problem = str(error)


def _parse(sentences: list[Sentence], options: ParseOptions) -> tuple[list[Sentence], list[Message]]:
    """The trees of a window, and what the worker had to tell since its last one."""
    if _problem is not None:
        raise ModelError(_problem)
    parsed = list(_parser.stream(sentences, options, copy=False))
    told = _messages.copy()
    _messages.clear()
    return parsed, told


def _until_fault(items: Iterable[list[Sentence]], faults: list[Exception]) -> Iterator[list[Sentence]]:
    """All windows before a fault of the input, which is kept for later: what is under way is not lost by it."""
    try:
        yield from items
    except Exception as error:
        faults.append(error)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Handle signals at the end of the block: a process whose start is interrupted prints a traceback."""
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    if threading.current_thread() is not threading.main_thread():
        numbers = []  # only the main thread is interrupted
    handlers = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    caught: list[int] = []
    for number in handlers:
        signal.signal(number, lambda number, _frame: caught.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for missed in caught:
            signal.raise_signal(missed)


def parse_with_workers(
    load: Callable[[], Any],
    sentences: Iterable[Sentence],
    options: ParseOptions | None = None,
    *,
    workers: int,
    threads: int = 1,
) -> Iterator[Sentence]:
    """Parse in ``workers`` processes of ``threads`` threads each; output keeps the order of the input.

    ``load`` is called once in every process and returns its parser; it must be picklable, such as a `partial` of
    `pointree.load`. At most two windows a worker are under way, so that memory stays flat however long the input is.
    What the workers warn of is told here, once.
    """
    context = multiprocessing.get_context("spawn")  # a fork would inherit torch's threads in an unknown state
    level = logger.getEffectiveLevel()
    pool = ProcessPoolExecutor(workers, context, initializer=_start, initargs=(load, threads, level))
    under_way: deque[Future[tuple[list[Sentence], list[Message]]]] = deque()
    told: set[Message] = set()

    def next_window() -> list[Sentence]:
        parsed, messages = under_way.popleft().result()
        for message in messages:
            if message not in told:
                told.add(message)
                logger.log(*message)
        return parsed

    try:
        faults: list[Exception] = []
        for window in _until_fault(windows(sentences, _WINDOW_SENTENCES), faults):
            with _signals_held():  # a process may be started here
                under_way.append(pool.submit(_parse, window, options or ParseOptions()))
            if len(under_way) >= 2 * workers:
                yield from next_window()
        while under_way:
            yield from next_window()
        if faults:
            raise faults[0]
    except BrokenProcessPool:
        raise PointreeError(
            "a worker process ended before its work was done: it had too little memory, or it imports a script that "
            'starts workers outside `if __name__ == "__main__":`'
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
