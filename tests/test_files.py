"""Files: opening plain and gzip ones, and replacing them atomically."""

from __future__ import annotations

import errno
import gzip
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pointree.errors import FormatError, InputError, OutputError
from pointree.files import atomic_write, open_binary, open_text, reading

TEXT = "a\r\nb\u2028c\u0085d\re\n\nf"


@pytest.fixture(params=["plain.txt", "packed.txt.gz", "packed_without_suffix.txt"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    data = TEXT.encode()
    path.write_bytes(gzip.compress(data) if "packed" in request.param else data)
    return path


def test_text_is_read_as_it_stands(file: Path) -> None:
    with open_text(file) as stream:
        assert list(stream) == ["a\r\n", "b\u2028c\u0085d\re\n", "\n", "f"]


def test_bytes_are_unpacked(file: Path) -> None:
    with open_binary(file) as stream:
        assert stream.read() == TEXT.encode()


def test_an_empty_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    with open_text(tmp_path / "empty") as stream:
        assert stream.read() == ""


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.txt: no such file$"):
        open_text(tmp_path / "gone.txt")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a file, found a directory$"):
        open_text(tmp_path)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match=r"x\.txt: cannot be read: Permission denied$"):
        open_binary(tmp_path / "x.txt")


def test_a_truncated_gzip_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(os.urandom(5000))[:3000])
    with (
        pytest.raises(InputError, match=r"cut\.gz: the gzip file is truncated or damaged"),
        reading(path),
        open_binary(path) as stream,
    ):
        stream.read()


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"caf\xe9\n")
    with (
        pytest.raises(InputError, match=r"latin\.txt: expected UTF-8, found byte 0xe9$"),
        reading(path),
        open_text(path) as stream,
    ):
        stream.read()


def test_a_new_file_is_written_as_it_is(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "new.txt") as stream:
        stream.write(TEXT)
    assert (tmp_path / "new.txt").read_bytes() == TEXT.encode()
    assert os.listdir(tmp_path) == ["new.txt"]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    with atomic_write(tmp_path / "new", "b") as stream:
        stream.write(b"\x00")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_the_old_file_is_there_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_write(path) as stream:
        stream.write("new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt])
def test_the_old_file_survives_a_failure(tmp_path: Path, interruption: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail_half_way() -> None:
        with atomic_write(path) as stream:
            stream.write("new")
            raise interruption

    with pytest.raises(interruption):
        fail_half_way()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_old_file_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(OutputError, match=r"file: cannot be written: No space left on device$"),
        atomic_write(path) as stream,
    ):
        stream.write("new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_disk_that_is_really_full() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with (
        pytest.raises(OutputError, match=r"/dev/full: cannot be written: No space left on device$"),
        atomic_write("/dev/full") as stream,
    ):
        stream.write("new")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match=r"cannot be written: No such file or directory$"),
        atomic_write(tmp_path / "gone" / "file"),
    ):
        pass


def test_a_directory_is_refused_before_work_is_done(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot be written: Is a directory$"), atomic_write(tmp_path):
        pytest.fail("the block must not run")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    with atomic_write(tmp_path / "link") as stream:
        stream.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_device_is_not_replaced() -> None:
    with atomic_write(os.devnull) as stream:
        stream.write("new")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_a_fault_of_another_file_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "file"):
        (tmp_path / "gone").read_text()
    assert os.listdir(tmp_path) == []


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def test_a_bare_name_is_a_file_of_the_working_folder(tmp_path: Path) -> None:
    with working_in(tmp_path), atomic_write("file") as stream:
        stream.write("new")
    assert (tmp_path / "file").read_text() == "new"


class TestLongLines:
    """A line without end is refused with its place, in flat memory."""

    @pytest.fixture(autouse=True)
    def short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pointree.files.MAX_LINE", 1 << 16)

    def endless(self, path: Path, start: bytes) -> Path:
        with path.open("wb") as stream:
            stream.write(start)
            stream.truncate(1 << 33)  # a hole, which takes no room on the disk
        return path

    def test_in_treebanks(self, tmp_path: Path) -> None:
        from pointree.treebank.formats import read_treebank

        path = self.endless(tmp_path / "a.conllu", b"# text = a\n1\t")
        with pytest.raises(
            FormatError, match=r"a\.conllu:2: expected lines of at most 65536 bytes, found a longer one"
        ):
            list(read_treebank(path, format="conllu"))
        with path.open("rb") as stream, pytest.raises(FormatError, match="expected lines of at most 65536 bytes"):
            list(read_treebank(stream))

    def test_in_vectors(self, tmp_path: Path) -> None:
        from pointree.vocabulary.vectors import read_vectors

        for start, line in ((b"", 1), (b"1 2\n", 2), (b"a 1 2\nb ", 2)):
            path = self.endless(tmp_path / "vectors", start)
            with pytest.raises(FormatError, match=f"vectors:{line}: expected lines of at most 65536 bytes"):
                read_vectors(path)
