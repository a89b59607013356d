"""The lock of a cell's folder: held by whoever works there, and given back when the last of them is gone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

from pointree.errors import OutputError
from pointree.experiments.results import make_folder

if sys.platform != "win32":
    import fcntl

__all__ = ["is_locked", "lock_folder"]

_LOCK = "lock"


def lock_folder(folder: Path) -> IO[str] | None:
    """Lock the folder of a cell until the file is closed; None if another process works in it."""
    make_folder(folder)
    try:
        stream = open(folder / _LOCK, "w")  # noqa: SIM115 - closing it gives the lock back
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    if sys.platform != "win32":
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            return None
    return stream


def is_locked(folder: Path) -> bool:
    """Whether another process works in the folder of a cell; nothing is made or changed there."""
    if sys.platform == "win32" or not (folder / _LOCK).is_file():
        return False
    with open(folder / _LOCK) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
