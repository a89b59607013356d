"""SIGTERM and SIGHUP end a command as Ctrl-C does, so that temporary files are removed on the way out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["StopSignal", "unwinding_signals"]

_NAMES = ("SIGTERM", "SIGHUP")


@dataclass(slots=True)
class StopSignal:
    """The signal that stopped the command, if one did."""

    number: int | None = None

    def exit_code(self, code: int) -> int:
        """The exit code of the process: that of the signal, as shells count it, or else ``code``."""
        return code if self.number is None else 128 + self.number


@contextmanager
def unwinding_signals() -> Iterator[StopSignal]:
    """Turn the signals into `KeyboardInterrupt`, which lets every `finally` and `with` clean up.

    Only the main thread can do so. A signal that somebody ignores (`nohup`) or handles stays theirs. Further signals
    are ignored, because `timeout` sends two, and the second must not interrupt the cleaning up.
    """
    stop = StopSignal()
    numbers = [number for name in _NAMES if (number := getattr(signal, name, None)) is not None]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def unwind(number: int, _frame: Any) -> None:
        if stop.number is None:
            stop.number = number
            raise KeyboardInterrupt

    for number in taken:
        signal.signal(number, unwind)
    try:
        yield stop
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
