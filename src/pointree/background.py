"""Work that overlaps: an iterable that runs ahead in a thread of its own, by a bounded number of items."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

__all__ = ["in_background"]

Item = TypeVar("Item")


class _End:
    """The last thing in the queue: how the iteration ended."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Producer(Generic[Item]):
    """Fills a bounded queue until the items end, fail, or nobody wants them any more."""

    def __init__(self, items: Iterable[Item], ahead: int) -> None:
        self.items = items
        self.queue: queue.Queue[Item | _End] = queue.Queue(ahead)
        self.abandoned = threading.Event()

    def run(self) -> None:
        """Produce; this is what the thread does."""
        error: BaseException | None = None
        try:
            for item in self.items:
                if not self._put(item):
                    return
        except BaseException as caught:  # handed to the consumer, whatever it is
            error = caught
        self._put(_End(error))

    def _put(self, item: Item | _End) -> bool:
        while not self.abandoned.is_set():
            try:
                self.queue.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False


def in_background(items: Iterable[Item], ahead: int = 2) -> Iterator[Item]:
    """The same items, produced up to ``ahead`` in advance; errors come out where they would have."""
    producer = _Producer(items, ahead)
    threading.Thread(target=producer.run, daemon=True, name="pointree-background").start()
    try:
        while True:
            item = producer.queue.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        producer.abandoned.set()
