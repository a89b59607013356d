"""Locks on files and folders between processes, on every system; closing the file gives the lock back.

POSIX has `fcntl`, Windows has `msvcrt`. Where there is neither, nothing is locked.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from pointree.files import make_folder, writing

__all__ = ["is_locked", "lock_folder", "lock_stream"]


def _module(name: str) -> ModuleType | None:
    """A module of the standard library that only some systems have."""
    try:
        return __import__(name)
    except ImportError:
        return None


_fcntl: Any = _module("fcntl")
_msvcrt: Any = _module("msvcrt") if _fcntl is None else None

_LOCK = "lock"
"""The file by which a folder is locked."""

_PAUSE = 0.05
"""Seconds between two attempts on Windows, which cannot wait for a lock for long."""


def lock_stream(stream: IO[Any], *, shared: bool = False, wait: bool = True) -> None:
    """Lock an open file; without ``wait``, a `BlockingIOError` if another process has it.

    Windows has no shared locks that let others read. There, a shared lock only makes sure that nobody has an exclusive
    one at this moment.
    """
    if _fcntl is not None:
        kind = _fcntl.LOCK_SH if shared else _fcntl.LOCK_EX
        _fcntl.flock(stream, kind if wait else kind | _fcntl.LOCK_NB)
    elif _msvcrt is not None:
        _lock_first_byte(stream.fileno(), wait)
        if shared:
            os.lseek(stream.fileno(), 0, os.SEEK_SET)
            _msvcrt.locking(stream.fileno(), _msvcrt.LK_UNLCK, 1)


def lock_folder(folder: Path) -> IO[bytes] | None:
    """Lock a folder, which is made if need be, until the file is closed; None if another process works in it."""
    make_folder(folder)
    with writing(folder):
        stream = open(folder / _LOCK, "wb")  # noqa: SIM115 - closing it gives the lock back
    try:
        lock_stream(stream, wait=False)
    except OSError:
        stream.close()
        return None
    return stream


def is_locked(folder: Path) -> bool:
    """Whether another process works in a folder; nothing is made or changed there."""
    if not (folder / _LOCK).is_file():
        return False
    with open(folder / _LOCK, "rb") as stream:
        try:
            lock_stream(stream, shared=True, wait=False)
        except OSError:
            return True
    return False


def _lock_first_byte(descriptor: int, wait: bool) -> None:
    while True:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
            return
        except OSError as error:
            if not wait:
                raise BlockingIOError(error.errno, "another process has locked the file") from None
        time.sleep(_PAUSE)
