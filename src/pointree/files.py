"""Opening files for reading and replacing them atomically, with errors that name the file on one line."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, cast, overload

from pointree.errors import FormatError, InputError, OutputError

__all__ = [
    "MAX_LINE",
    "atomic_write",
    "open_binary",
    "open_text",
    "read_bounded",
    "read_lines",
    "reading",
    "remove_leftovers",
]

MAX_LINE = 1 << 24
"""Bytes of the longest line that is read: one without end must not fill the memory."""

_GZIP_MAGIC = b"\x1f\x8b"


def open_binary(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes; a gzip file, known by its first two bytes, is unpacked on the way."""
    with reading(path):
        if os.path.isdir(path):
            raise InputError(f"{os.fspath(path)}: expected a file, found a directory")
        raw = open(path, "rb")  # noqa: SIM115 - the caller closes it
        try:
            packed = raw.peek(2)[:2] == _GZIP_MAGIC
        except BaseException:
            raw.close()
            raise
        return cast(BinaryIO, _OwningGzipFile(raw)) if packed else raw


def open_text(path: str | os.PathLike[str]) -> TextIO:
    r"""Open a file, plain or gzip, for reading UTF-8 text as it stands.

    Lines end at ``\n`` only: ``\r`` stays in the text, and neither U+0085 nor U+2028 ends a line. Faults that
    show while reading (a truncated gzip file, bytes that are not UTF-8) are the reader's: see `reading`.
    """
    return io.TextIOWrapper(open_binary(path), encoding="utf-8", newline="\n")


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a file of at most ``most`` bytes; all else, such as a link to a device, is an `OSError`."""
    found = os.stat(path)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "expected a file, found a device or a pipe", os.fspath(path))
    if found.st_size > most:
        raise OSError(errno.EFBIG, f"expected at most {most} bytes, found {found.st_size}", os.fspath(path))
    with open(path, "rb") as stream:
        return stream.read(found.st_size)


def read_lines(stream: IO[Any], name: str) -> Iterator[Any]:
    """The lines of a stream of bytes or text; one of more than `MAX_LINE` is a `FormatError`."""
    for number, line in enumerate(iter(partial(stream.readline, MAX_LINE + 1), None), 1):
        if not line:
            return
        if len(line) > MAX_LINE:
            raise FormatError(name, number, f"expected lines of at most {MAX_LINE} bytes, found a longer one")
        yield line


def remove_leftovers(folder: Path) -> None:
    """Remove what `atomic_write` leaves in a folder when its process is killed."""
    for leftover in folder.glob(f".*.{'[0-9a-f]' * 8}.tmp"):
        leftover.unlink()


@contextmanager
def reading(name: str | os.PathLike[str]) -> Iterator[None]:
    """Turn the faults of opening and reading file `name` into an `InputError` of one line."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{os.fspath(name)}: no such file") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{os.fspath(name)}: the gzip file is truncated or damaged ({error})") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{os.fspath(name)}: expected UTF-8, found byte 0x{byte:02x}") from None
    except OSError as error:
        raise InputError(f"{os.fspath(name)}: cannot be read: {error.strerror or error}") from None


@overload
def atomic_write(path: str | os.PathLike[str], mode: Literal["w"] = "w") -> AbstractContextManager[TextIO]: ...
@overload
def atomic_write(path: str | os.PathLike[str], mode: Literal["b"]) -> AbstractContextManager[BinaryIO]: ...
def atomic_write(
    path: str | os.PathLike[str], mode: Literal["w", "b"] = "w"
) -> AbstractContextManager[TextIO] | AbstractContextManager[BinaryIO]:
    r"""Replace a file as a whole: the new content appears when the block ends well, or the old one survives.

    `mode` is "w" for UTF-8 text (``\n`` is written as it is) or "b" for bytes. The content goes to a
    temporary file in the same folder, reaches the disk, and is then renamed. A device or a pipe cannot be
    replaced and is written directly.
    """
    return _atomic_write(os.fspath(path), mode)


@contextmanager
def _atomic_write(path: str, mode: Literal["w", "b"]) -> Iterator[Any]:
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        permissions = _permissions(target)
        if permissions is None:
            with _open_for_writing(os.open(target, os.O_WRONLY), mode) as stream:
                yield stream
            return
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with _open_for_writing(descriptor, mode) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if permissions:
                os.chmod(temporary, permissions)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(target.parent)
    except OSError as error:
        if error.filename not in (None, str(target), str(temporary)):
            raise  # the block failed at some other file
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _permissions(target: Path) -> int | None:
    """The permission bits of the file to replace, 0 if there is none yet, None for a device or a pipe."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return 0
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def _open_for_writing(descriptor: int, mode: Literal["w", "b"]) -> IO[Any]:
    if mode == "b":
        return open(descriptor, "wb")
    return open(descriptor, "w", encoding="utf-8", newline="")


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class _OwningGzipFile(gzip.GzipFile):
    """A gzip reader that closes the file below it."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__(fileobj=raw, mode="rb")
        self._raw = raw

    def close(self) -> None:
        super().close()
        self._raw.close()
