"""What a process that computes asks of its system, once and before its first tensor."""

from __future__ import annotations

import ctypes
import os
import sys

from pointree.errors import UsageError

__all__ = ["prepare_process", "thread_count"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # the names that <malloc.h> has for them
_NEVER = 2**31 - 1

_threads: int | None = None


def thread_count() -> int | None:
    """The number of threads that this process was told to use, if it was."""
    return _threads


def _use_one_thread() -> None:
    """Compute with one thread in a forked process: it has none of the others, and is seldom the only one.

    Torch would wait for them for ever.
    """
    global _threads
    _threads = 1
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_use_one_thread)


def prepare_process(threads: int | None = None) -> None:
    """Set the number of threads, if one is given, and keep freed memory for the next batch.

    The C library hands large blocks back to the system as soon as they are free, and every page of the next batch is
    then mapped anew: more than a million page faults a minute, 4 % of the time of parsing.
    """
    global _threads
    if threads is not None:
        if threads < 1:
            raise UsageError(f"threads must be 1 or more, found {threads}")
        _threads = threads
        if sys.modules.get("torch") is not None:  # else the engine says so when it imports torch
            import torch

            torch.set_num_threads(threads)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:  # glibc; others have their own ways
            mallopt(_MMAP_THRESHOLD, _NEVER)
            mallopt(_TRIM_THRESHOLD, _NEVER)
