"""The file of a model's weights: safetensors, mapped into memory, with a checksum of all values.

What is stored in 32 bits is not copied: processes that read the same file share its pages.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pointree.errors import ModelError
from pointree.files import atomic_write, read_bounded, reading_part
from pointree.models.quantise import check_scales

__all__ = ["read_weights", "release_pages", "write_weights"]

_MAX_HEADER = 1 << 22
"""Bytes of the header: an entry has about 100, and a network a few hundred entries."""

_MAX_DIMENSIONS = 8

_TYPES: dict[str, Any] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": np.uint16,  # numpy has no such type: see `_value`
    "I64": np.int64,
    "I32": np.int32,
    "I16": np.int16,
    "I8": np.int8,
    "U8": np.uint8,
    "BOOL": np.bool_,
}


def write_weights(path: Path, weights: Mapping[str, np.ndarray]) -> None:
    """Replace the weights of a model."""
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    with atomic_write(path, "b") as stream:
        stream.write(save(arrays, metadata={"sha256": _digest(arrays)}))


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file; whatever is missing or damaged is a `ModelError`."""
    with reading_part(path):
        if not path.is_file():
            read_bounded(path, 0)  # a folder, a device or a pipe: the error says what it is
        with path.open("rb") as stream:
            size = path.stat().st_size
            content: Any = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    try:
        header, start = _read_header(content)
        metadata = header.pop("__metadata__", {})
        _check_ranges([entry["data_offsets"] for entry in header.values()], len(content) - start)
        stored = {name: _array(content, start, entry) for name, entry in sorted(header.items())}
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: expected safetensors, found a damaged file ({error!s:.80})") from None
    if not isinstance(metadata, dict) or metadata.get("sha256") != _digest(stored):
        raise ModelError(f"{path}: damaged: the values differ from their checksum")
    try:
        check_scales(stored)
    except ModelError as error:
        raise ModelError(f"{path}: damaged: {error}") from None
    return {name: _value(array, header[name]["dtype"]) for name, array in stored.items()}


def release_pages(weights: Mapping[str, np.ndarray]) -> None:
    """Let the system take back what was read of a mapped file; whatever is read again comes from there."""
    files = {id(found): found for array in weights.values() if (found := _mapped(array)) is not None}
    if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        for found in files.values():
            found.madvise(mmap.MADV_DONTNEED)


def _mapped(array: np.ndarray) -> mmap.mmap | None:
    """The file that an array is a view of, if it is one."""
    base: Any = array
    while isinstance(base, np.ndarray | memoryview):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    return base if isinstance(base, mmap.mmap) else None


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    """A checksum of all values, array by array in the order of their names."""
    digest = hashlib.sha256()
    for _name, array in sorted(arrays.items()):
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _read_header(content: Any) -> tuple[dict[str, Any], int]:
    """The table of contents, and where the values start."""
    size = int.from_bytes(content[:8], "little")
    if not 0 < size <= min(_MAX_HEADER, len(content) - 8):
        raise ValueError(f"a header of {size} bytes")
    header = json.loads(content[8 : 8 + size])
    if not isinstance(header, dict):
        raise ValueError("a header that is no object")
    return header, 8 + size


def _check_ranges(ranges: Sequence[Sequence[int]], size: int) -> None:
    """Refuse arrays that share bytes: the checksum would read these once for each array."""
    end = 0
    for first, last in sorted((first, last) for first, last in ranges):
        if not end <= first <= last <= size:
            raise ValueError("arrays that overlap or do not fit the file")
        end = last


def _array(content: Any, start: int, entry: Mapping[str, Any]) -> np.ndarray:
    """One array, which stays a view of the file."""
    shape, (first, last), dtype = entry["shape"], entry["data_offsets"], np.dtype(_TYPES[entry["dtype"]])
    if not all(isinstance(number, int) and number >= 0 for number in (*shape, first, last)):
        raise ValueError("numbers that are not counts")
    if len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"an array of {len(shape)} dimensions")
    count = math.prod(shape)
    if last - first != count * dtype.itemsize or start + last > len(content):
        raise ValueError("an array that does not fit the file")
    return np.frombuffer(content, dtype=dtype, count=count, offset=start + first).reshape(shape)


def _value(array: np.ndarray, dtype: str) -> np.ndarray:
    """An array as numpy can compute with it: bfloat16 is the upper half of 32 bits."""
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == "BF16" else array
