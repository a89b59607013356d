"""Work that can pause: generators that yield between steps and return what they found.

Whoever runs one decides when it goes on: `run_to_end` does so at once, the service lets others have their turn.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

__all__ = ["Resumable", "run_to_end"]

T = TypeVar("T")

Resumable: TypeAlias = Generator[None, None, T]
"""A generator that yields nothing but control, and returns a value of this type."""


def run_to_end(work: Resumable[T]) -> T:
    """Run work without a pause and return what it found."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: T = end.value
            return found
