"""Vectors of sentences on disk: computed once, mapped into memory, shared by all processes that need them.

A folder of the cache holds the vectors of one pretrained model with one choice of layers and sub-words:

about.json      what they are vectors of; a folder that says something else is refused
vectors.bf16    rows of bfloat16, sentence after sentence, only ever appended to
index.bin       a record a sentence: checksum of its text, first row, number of rows, checksums of rows and record
lock            held by every process that uses the folder, so that no other removes it
lock.write      held by the process that appends

The vectors of a sentence are written before its record, and only sentences with a complete record count. What a killed
process leaves behind is ignored and overwritten. Every sentence is checked when it is first read; if its vectors are
truncated or damaged, they are computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pointree.errors import InputError, OutputError
from pointree.files import atomic_write, writing
from pointree.locks import lock_stream

__all__ = ["CachedVectors", "FeatureCache", "lock_file", "text_key"]

CachedVectors = NDArray[np.int16]
"""Rows of vectors, the bits of each bfloat16 as a whole number. *Shape:* ``(n_rows, n_vectors · width)``."""

ABOUT, VECTORS, INDEX, LOCK = "about.json", "vectors.bf16", "index.bin", "lock"

_RECORD = struct.Struct("<32sQII")
_CHECK = struct.Struct("<I")
_RECORD_SIZE = _RECORD.size + _CHECK.size


def text_key(forms: Sequence[str]) -> bytes:
    """A checksum of the words of a sentence, under which its vectors are kept."""
    return hashlib.sha256(json.dumps(list(forms)).encode()).digest()


class FeatureCache:
    """An open folder of the cache; ``about`` says what its vectors are made of, ``width`` is that of a row."""

    def __init__(self, folder: Path, about: Mapping[str, Any], width: int) -> None:
        self.folder = folder
        self.width = width
        self._entries: dict[bytes, tuple[int, int, int]] = {}
        self._checked: set[bytes] = set()
        self._index_read = 0
        self._end = 0  # the row after the last one in use
        self._rows: CachedVectors = np.zeros((0, width), dtype=np.int16)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            weakref.finalize(self, lock_file(folder / LOCK, shared=True).close)
            os.utime(folder / LOCK)  # by which `CacheFolder` finds caches that were not used for long
            self._check_about(dict(about))
            for name in (VECTORS, INDEX):
                (folder / name).touch()
        except OSError as error:
            raise OutputError(f"{folder}: cannot be used as a cache: {error.strerror or error}") from error
        self._refresh()

    def __contains__(self, key: bytes) -> bool:
        """Whether the vectors of a sentence are there and undamaged."""
        return self.get(key) is not None

    def get(self, key: bytes) -> CachedVectors | None:
        """The vectors of a sentence, mapped into memory."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        first, n_rows, check = entry
        rows = self._rows[first : first + n_rows]
        if key not in self._checked:
            if len(rows) < n_rows or zlib.crc32(rows.tobytes()) != check:
                del self._entries[key]
                return None
            self._checked.add(key)
        return rows

    def add(self, found: Mapping[bytes, CachedVectors]) -> None:
        """Append the vectors of sentences, except those that another process has appended in the meantime."""
        with self._writing():
            self._refresh()
            new = {key: rows for key, rows in found.items() if key not in self}
            if not new:
                return
            end = self._end
            with open(self.folder / VECTORS, "r+b") as stream:
                stream.truncate(end * self.width * 2)  # what follows was left by a killed process
                stream.seek(0, os.SEEK_END)
                records = bytearray()
                for key, rows in new.items():
                    data = np.ascontiguousarray(rows).tobytes()
                    record = _RECORD.pack(key, end, len(rows), zlib.crc32(data))
                    records += record + _CHECK.pack(zlib.crc32(record))
                    stream.write(data)
                    end += len(rows)
            with open(self.folder / INDEX, "r+b") as stream:
                stream.seek(self._index_read)
                stream.write(records)
                stream.truncate()
            self._refresh()

    def _check_about(self, about: dict[str, Any]) -> None:
        path = self.folder / ABOUT
        if not path.exists():
            with atomic_write(path) as stream:
                json.dump(about, stream, indent=2)
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            found = None
        if found != about:
            other = f"that of {found.get('encoder')}" if isinstance(found, dict) else "a damaged file"
            expected = f"expected the cache of the pretrained model {about.get('encoder')}"
            raise InputError(f"{path}: {expected}, found {other}; remove the folder")

    def _refresh(self) -> None:
        """Read the records that were appended since the last time; an incomplete one at the end is ignored."""
        with open(self.folder / INDEX, "rb") as stream:
            stream.seek(self._index_read)
            data = stream.read()
        for start in range(0, len(data) - _RECORD_SIZE + 1, _RECORD_SIZE):
            record = data[start : start + _RECORD.size]
            if _CHECK.unpack_from(data, start + _RECORD.size)[0] == zlib.crc32(record):
                key, first, n_rows, check = _RECORD.unpack(record)
                self._entries[key] = first, n_rows, check
        self._index_read += len(data) // _RECORD_SIZE * _RECORD_SIZE
        path = self.folder / VECTORS
        n_rows = path.stat().st_size // (2 * self.width)
        if n_rows != len(self._rows):
            shape = (n_rows, self.width)
            self._rows = np.memmap(path, dtype=np.int16, mode="r", shape=shape) if n_rows else self._rows[:0]
        for key, (first, count, _) in list(self._entries.items()):
            if first + count > n_rows:
                del self._entries[key]  # the file was truncated
            else:
                self._end = max(self._end, first + count)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with writing(self.folder), lock_file(self.folder / f"{LOCK}.write"):
            yield


def lock_file(path: Path, *, shared: bool = False, wait: bool = True) -> IO[bytes]:
    """Create and lock a file until it is closed; without ``wait``, a `BlockingIOError` if another process has it."""
    while True:
        stream = open(path, "ab")  # noqa: SIM115 - closing it gives the lock back
        try:
            lock_stream(stream, shared=shared, wait=wait)
            if os.path.samestat(os.fstat(stream.fileno()), os.stat(path)):
                return stream
            stream.close()  # whoever had it has removed the folder; there is a new one, or a place for one
        except FileNotFoundError:
            stream.close()
            path.parent.mkdir(parents=True, exist_ok=True)
        except BaseException:
            stream.close()
            raise
