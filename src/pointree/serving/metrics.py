"""What a service counts, in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from pointree.serving.rounds import BatchReport

__all__ = ["Metrics"]

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """Counters of one service; each has its own, so that several can live in one process."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter("pointree_requests", "Requests", ["route", "status"], registry=registry)
        self._seconds = Histogram(
            "pointree_request_seconds", "Time of requests", ["route"], buckets=_SECONDS, registry=registry
        )
        self._batch_requests = Histogram(
            "pointree_batch_requests", "Requests parsed together", buckets=_SIZES, registry=registry
        )
        self._batch_sentences = Histogram(
            "pointree_batch_sentences", "Sentences parsed together", buckets=_SIZES, registry=registry
        )
        self._batch_seconds = Histogram(
            "pointree_batch_seconds", "Time of batches", buckets=_SECONDS, registry=registry
        )
        self._slice_seconds = Histogram(
            "pointree_slice_seconds", "Time of work before others have their turn", buckets=_SECONDS, registry=registry
        )
        self._words = Counter("pointree_words", "Words parsed", registry=registry)
        self._queue = Gauge("pointree_queue", "Requests that are accepted and not done", registry=registry)

    def watch_queue(self, length: Callable[[], int]) -> None:
        """Ask this for the length of the queue whenever it is shown."""
        self._queue.set_function(length)

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count an answered request; a status of 499 stands for a client that went away."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_batch(self, report: BatchReport) -> None:
        """Count what was parsed together."""
        self._batch_requests.observe(report.requests)
        self._batch_sentences.observe(report.sentences)
        self._batch_seconds.observe(report.seconds)
        self._words.inc(report.words)

    def count_slice(self, seconds: float) -> None:
        """Count work after which others had their turn."""
        self._slice_seconds.observe(seconds)

    def show(self) -> bytes:
        """Everything that was counted, as Prometheus reads it."""
        return generate_latest(self._registry)
