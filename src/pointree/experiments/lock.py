"""The lock of a cell's folder: held by whoever works there, and given back when the last of them is gone."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from pointree.files import make_folder, writing
from pointree.locks import lock_stream

__all__ = ["is_locked", "lock_folder"]

_LOCK = "lock"


def lock_folder(folder: Path) -> IO[bytes] | None:
    """Lock the folder of a cell until the file is closed; None if another process works in it."""
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
    """Whether another process works in the folder of a cell; nothing is made or changed there."""
    if not (folder / _LOCK).is_file():
        return False
    with open(folder / _LOCK, "rb") as stream:
        try:
            lock_stream(stream, shared=True, wait=False)
        except OSError:
            return True
    return False
