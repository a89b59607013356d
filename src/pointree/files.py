"""Opening files for reading and replacing them atomically, with errors that name the file on one line."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, cast, overload

from pointree.errors import FormatError, InputError, ModelError, OutputError

__all__ = [
    "MAX_LINE",
    "atomic_write",
    "decompressed",
    "make_folder",
    "open_binary",
    "open_text",
    "read_bounded",
    "read_lines",
    "reading",
    "reading_part",
    "remove_leftovers",
    "rewound",
    "without_compression_suffix",
    "writing",
]

MAX_LINE = 1 << 24
"""Bytes of the longest line that is read: one without end must not fill the memory."""

_SIGNATURES: dict[str, list[bytes]] = {
    "gzip": [b"\x1f", b"\x8b"],
    "xz": [b"\xfd", b"7", b"z", b"X", b"Z", b"\0"],
    "bzip2": [b"B", b"Z", b"h", b"123456789", b"1", b"A", b"Y", b"&", b"S", b"Y"],
}
"""How compressed files start: the bytes that may stand at each place; many of bzip2, since text may start with BZh."""

_LONGEST_SIGNATURE = max(map(len, _SIGNATURES.values()))
_COMPRESSION_SUFFIXES = (".gz", ".xz", ".bz2")
_BUFFER_BYTES = 1 << 16


class _DamagedError(EOFError):
    """A compressed stream that ends early or cannot be decompressed."""


def open_binary(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes; a compressed one (gzip, xz, bzip2), known by its start, is unpacked on the way."""
    with reading(path):
        if os.path.isdir(path):
            raise InputError(f"{os.fspath(path)}: expected a file, found a directory")
        raw = open(path, "rb")  # noqa: SIM115 - the caller closes it
        try:
            return decompressed(raw, close=True)
        except BaseException:
            raw.close()
            raise


def decompressed(stream: BinaryIO, *, close: bool = False) -> BinaryIO:
    """Unpack a stream that starts as a gzip, xz or bzip2 file does; other streams are returned from their start.

    It works for pipes: no more is read at first than tells whether the stream is compressed. Use the result in place of
    the stream. With ``close``, closing the result closes the stream. Faults that show while reading are for `reading`.
    """
    start = stream.peek(_LONGEST_SIGNATURE)[:_LONGEST_SIGNATURE] if hasattr(stream, "peek") else b""
    read = b""
    while not _is_decided(start) and (byte := stream.read(1)):  # a pipe may have less at first than it takes
        read += byte
        start = read
    source = rewound(read, stream, close=close) if read else stream
    kind = next((kind for kind in _SIGNATURES if _fits(start, kind) and len(start) >= len(_SIGNATURES[kind])), None)
    if kind is None:
        return source
    unpacked = _unpacked(source, kind)
    return cast(
        BinaryIO, io.BufferedReader(_Reader(unpacked, kind=kind, owned=source if close else None), _BUFFER_BYTES)
    )


def rewound(start: bytes, rest: BinaryIO, *, close: bool = False) -> BinaryIO:
    """A stream of which the start was read already, and is read again; with ``close``, closing it closes the rest."""
    return cast(BinaryIO, io.BufferedReader(_Reader(rest, start=start, owned=rest if close else None), _BUFFER_BYTES))


def without_compression_suffix(name: str) -> str:
    """The name of a file before it was compressed: ``a.conllu.gz`` is ``a.conllu``."""
    return next((name.removesuffix(suffix) for suffix in _COMPRESSION_SUFFIXES if name.endswith(suffix)), name)


def open_text(path: str | os.PathLike[str]) -> TextIO:
    r"""Open a file, plain or compressed, for reading UTF-8 text as it stands.

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
    except _DamagedError as error:
        raise InputError(f"{os.fspath(name)}: {error}") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(f"{os.fspath(name)}: expected UTF-8, found byte 0x{byte:02x}") from None
    except OSError as error:
        raise InputError(f"{os.fspath(name)}: cannot be read: {error.strerror or error}") from None


@contextmanager
def reading_part(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn the faults of opening a file of a model into a `ModelError` of one line."""
    try:
        yield
    except FileNotFoundError:
        raise ModelError(f"{os.fspath(path)}: missing from the model folder") from None
    except OSError as error:
        raise ModelError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from None


@contextmanager
def writing(name: str | os.PathLike[str]) -> Iterator[None]:
    """Turn the faults of writing `name` into an `OutputError` of one line."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{os.fspath(name)}: cannot be written: {error.strerror or error}") from error


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, if it is not there; where that cannot be, it is an `OutputError`."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


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
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
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


def _fits(start: bytes, kind: str) -> bool:
    """Whether a stream with this start, which may be a part of the signature, can be of the kind."""
    return all(byte in allowed for byte, allowed in zip(start, _SIGNATURES[kind], strict=False))


def _is_decided(start: bytes) -> bool:
    """Whether more bytes would change nothing: each signature is there as a whole, or is not."""
    return all(not _fits(start, kind) or len(start) >= len(signature) for kind, signature in _SIGNATURES.items())


def _unpacked(stream: BinaryIO, kind: str) -> BinaryIO:
    """The decompressing stream of the standard library; each module is imported only if it is needed."""
    packed: Any = _Prompt(stream)
    if kind == "gzip":
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=packed, mode="rb"))
    if kind == "xz":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(packed))
    import bz2

    return cast(BinaryIO, bz2.BZ2File(packed))


class _Prompt:
    """As much of a stream as a decompressor needs; it reads what a pipe has and does not wait for more."""

    def __init__(self, stream: BinaryIO) -> None:
        self.read = stream.read1  # type: ignore[attr-defined]
        self.seek = stream.seek


class _Reader(io.RawIOBase):
    """Bytes that were read already and then those of a stream, as soon as there are some."""

    def __init__(
        self, source: BinaryIO, *, start: bytes = b"", kind: str | None = None, owned: BinaryIO | None = None
    ) -> None:
        self._source = source
        self._start = start
        self._kind = kind
        self._owned = owned

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        if self._start:
            chunk, self._start = self._start[:size], self._start[size:]
        else:
            chunk = self._read(size)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, size: int) -> bytes:
        try:
            return cast(bytes, self._source.read1(size))  # type: ignore[attr-defined]
        except Exception as error:  # the decompressors' errors have no base class in common
            if self._kind is None or (isinstance(error, OSError) and error.errno is not None):
                raise
            raise _DamagedError(f"the {self._kind} file is truncated or damaged ({error})") from None

    def close(self) -> None:
        super().close()
        if self._owned is not None:
            self._owned.close()
