"""The lock of a cell's folder: one holder at a time, and looking changes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pointree.errors import OutputError
from pointree.experiments.lock import is_locked, lock_folder


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
