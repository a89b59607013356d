"""Files: opening plain and compressed ones, and replacing them atomically."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from pointree.errors import FormatError, InputError, OutputError
from pointree.files import (
    atomic_write,
    decompressed,
    make_folder,
    open_binary,
    open_text,
    reading,
    rewound,
    without_compression_suffix,
)

TEXT = "a\r\nb\u2028c\u0085d\re\n\nf"


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress}


@pytest.fixture(params=["plain", *PACKERS])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "no_suffix_is_needed"
    data = TEXT.encode()
    path.write_bytes(PACKERS[request.param](data) if request.param in PACKERS else data)
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


@pytest.mark.parametrize("kind", PACKERS)
def test_a_truncated_or_damaged_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "cut.gz"
    whole = PACKERS[kind](os.urandom(5000))
    for data in (whole[:3000], whole[:100] + bytes(50) + whole[150:]):
        path.write_bytes(data)
        with (
            pytest.raises(InputError, match=rf"cut\.gz: the {kind} file is truncated or damaged \("),
            reading(path),
            open_binary(path) as stream,
        ):
            stream.read()


def test_the_file_below_is_closed(file: Path) -> None:
    raw = open(file, "rb")  # noqa: SIM115
    with decompressed(raw, close=True) as stream:
        stream.read(1)
    assert raw.closed


def test_a_stream_that_is_not_ours_stays_open(file: Path) -> None:
    with open(file, "rb") as raw:
        stream = decompressed(raw)
        assert stream.read() == TEXT.encode()
        del stream
        assert not raw.closed


@pytest.mark.parametrize("kind", ["plain", *PACKERS])
def test_a_pipe_is_unpacked_while_it_is_written(kind: str) -> None:
    """The first line can be read before the second is there, even if the bytes come one by one."""
    read_end, write_end = os.pipe()
    pack = PACKERS.get(kind, bytes)
    first, second = pack(b"one\n"), pack(b"two\n")
    with open(read_end, "rb") as raw:
        writer = threading.Thread(target=lambda: [os.write(write_end, bytes([byte])) for byte in first])
        writer.start()
        stream = decompressed(raw)
        assert stream.readline() == b"one\n"
        writer.join()
        os.write(write_end, second)
        os.close(write_end)
        assert stream.read() == b"two\n"


@pytest.mark.parametrize("data", [b"", b"\x1f", b"B", b"BZh", b"BZh9 is a text", b"\xfd7z", b"\x1fx", b"a"])
def test_what_only_starts_like_a_compressed_file_is_read_as_it_is(data: bytes) -> None:
    assert decompressed(io.BytesIO(data)).read() == data
    assert decompressed(cast(BinaryIO, io.BufferedReader(io.BytesIO(data)))).read() == data  # type: ignore[arg-type]


def test_a_start_is_read_again() -> None:
    assert list(rewound(b"a\nb", io.BytesIO(b"c\nd"))) == [b"a\n", b"bc\n", b"d"]


def test_names_without_the_suffix_of_compression() -> None:
    names = ["a.conllu.gz", "a.txt.xz", "a.bz2", "a.conllu", "gz"]
    assert [without_compression_suffix(name) for name in names] == ["a.conllu", "a.txt", "a", "a.conllu", "gz"]


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


def test_a_folder_that_cannot_be_made_is_told_with_its_name(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"file/inner: cannot be written: Not a directory$"):
        make_folder(tmp_path / "file" / "inner")


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
