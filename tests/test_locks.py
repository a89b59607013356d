"""Locks between processes: the real ones here, and those of Windows with a stand-in for its module."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from pointree import locks
from pointree.errors import OutputError
from pointree.locks import is_locked, lock_folder, lock_stream


def try_lock(path: Path, **kind: bool) -> bool:
    with open(path, "ab") as stream:
        try:
            lock_stream(stream, wait=False, **kind)
        except BlockingIOError:
            return False
        return True


class Msvcrt:
    """As much of Windows's module as locks take: one byte of a file has one owner."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self.owners: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert (os.lseek(descriptor, 0, os.SEEK_CUR), count) == (0, 1)
        file = os.fstat(descriptor).st_ino
        if mode == self.LK_UNLCK:
            del self.owners[file]
        elif file in self.owners:
            raise PermissionError(errno.EACCES, "Permission denied")
        else:
            self.owners[file] = descriptor


@pytest.fixture(params=["fcntl", "msvcrt"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "msvcrt":
        monkeypatch.setattr(locks, "_fcntl", None)
        monkeypatch.setattr(locks, "_msvcrt", Msvcrt())
    elif locks._fcntl is None:
        pytest.skip("fcntl is not known here")
    return request.param


def test_a_file_has_one_owner(system: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open(path, "ab") as stream:
        lock_stream(stream)
        assert not try_lock(path)
        assert not try_lock(path, shared=True)
    if system == "fcntl":
        assert try_lock(path)


def test_readers_share_a_lock(system: str, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open(path, "ab") as stream:
        lock_stream(stream, shared=True)
        assert try_lock(path, shared=True)


def test_windows_waits_for_the_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = Msvcrt()
    monkeypatch.setattr(locks, "_fcntl", None)
    monkeypatch.setattr(locks, "_msvcrt", windows)
    monkeypatch.setattr(locks.time, "sleep", lambda seconds: windows.owners.clear())  # the owner goes meanwhile
    with open(tmp_path / "lock", "ab") as first, open(tmp_path / "lock", "ab") as second:
        lock_stream(first)
        lock_stream(second)
        assert list(windows.owners.values()) == [second.fileno()]


def test_without_either_nothing_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_fcntl", None)
    monkeypatch.setattr(locks, "_msvcrt", None)
    with open(tmp_path / "lock", "ab") as stream:
        lock_stream(stream)
        assert try_lock(tmp_path / "lock")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_a_folder_is_locked_until_its_file_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "cell"
    assert not is_locked(folder)
    assert not folder.exists()
    held = lock_folder(folder)
    assert held is not None
    assert is_locked(folder)
    assert lock_folder(folder) is None
    held.close()
    assert not is_locked(folder)
    again = lock_folder(folder)
    assert again is not None
    again.close()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cell: cannot be written: Not a directory$"):
        lock_folder(tmp_path / "file" / "cell")
