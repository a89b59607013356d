"""Weights in fewer bits: floats of 16, or whole numbers of 8 or 4 with scales.

A model is small on disk: `quantise` is for writing, `dequantise` for reading. A matrix ``x`` of 8 bits is stored as
``x`` and ``x.scale``, whose product it is: one scale for each group of neighbouring columns of a row, which costs 0.01
LAS on English where one scale for whole rows costs 0.06. Matrices that the precision int8 multiplies have one scale for
each output instead, as it needs them; models of earlier versions have groups there too, and are rounded again for it.

Four bits are too few for most weights that were trained without regard to them. A table that was rounded by
`round_to_4_bits`, before training or because it is one of words, which bear it, is recognised and loses nothing; two of
its numbers share a byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from pointree.errors import ModelError, UsageError
from pointree.graphs.integers import summed_axis

__all__ = ["SCALE", "Bits", "check_bits", "check_scales", "dequantise", "integers", "quantise", "round_to_4_bits"]

Bits = Literal[8, 16]

SCALE = ".scale"
_LARGEST, _LARGEST_4 = 127, 7
_GROUP, _GROUP_4 = 128, 32
_PRECISE = 2.0**-14, 65504.0
"""The smallest number that float16 has in full precision, and the largest."""


def check_bits(bits: int | None, word_bits: int | None) -> None:
    """Refuse numbers of bits in which weights, or those of words, cannot be stored; None is 32."""
    if bits not in (None, 8, 16):
        raise UsageError(f"bits must be 8 or 16, found {bits}")
    if word_bits is not None and (word_bits != 4 or bits != 8):
        raise UsageError(f"word_bits must be 4 and bits 8, found {word_bits} and {bits}")


def check_scales(stored: Mapping[str, np.ndarray]) -> None:
    """Refuse whole numbers without scales that fit them with a `ModelError`."""
    for name, array in stored.items():
        if array.dtype in (np.int8, np.uint8):
            scale = stored.get(name + SCALE)
            if scale is None:
                raise ModelError(f"{name}: expected {name + SCALE} with it, found none")
            columns = array.shape[-1] * (2 if array.dtype == np.uint8 else 1) if array.ndim else 0
            fits = scale.ndim == array.ndim and all(
                found in (1, expected) for found, expected in zip(scale.shape[:-1], array.shape[:-1], strict=True)
            )
            if not fits or not scale.shape or not scale.shape[-1] or columns % scale.shape[-1]:
                raise ModelError(f"{name + SCALE}: expected scales of the shape {array.shape}, found {scale.shape}")


def quantise(weights: Mapping[str, np.ndarray], bits: Bits) -> dict[str, np.ndarray]:
    """All weights in 16 bits, or the matrices in 8 (in 4 where that loses nothing) and the rest in 16.

    The floats are float16: it has three bits of precision more than bfloat16, whose wider range no trained weight
    needs. One that does is a `ModelError`, and so is one that is no number.
    """
    stored: dict[str, np.ndarray] = {}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise ModelError(f"{name}: expected numbers, found NaN or infinity")
        if bits == 8 and _fits_4_bits(array):
            numbers, scale = _round(array, _group_4(array.shape[1]), _LARGEST_4)
            pairs = (_joined(numbers) + 8).astype(np.uint8).reshape(*array.shape[:-1], -1, 2)
            stored[name] = pairs[..., 0] | (pairs[..., 1] << 4)
            stored[name + SCALE] = scale[..., 0]
        elif bits == 8 and (axis := summed_axis(name, array.ndim)) is not None:
            stored[name], stored[name + SCALE] = integers(array, axis)
        elif bits == 8 and array.ndim > 1:
            numbers, scale = _round(array, _GROUP, _LARGEST)
            stored[name] = _joined(numbers).astype(np.int8)
            stored[name + SCALE] = scale[..., 0]
        else:
            stored[name] = _to_float16(name, array)
    return stored


def dequantise(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights in 32 bits, however they were stored; what is stored so is not copied."""
    weights = {}
    for name, array in stored.items():
        if name.endswith(SCALE) and name.removesuffix(SCALE) in stored:
            continue
        values = _unpacked(array).astype(np.float32, copy=False)
        if name + SCALE in stored:
            scale = stored[name + SCALE].astype(np.float32)
            groups = values.reshape(*values.shape[:-1], scale.shape[-1], -1)
            values = (groups * scale[..., None]).reshape(values.shape)
        weights[name] = values
    return weights


def round_to_4_bits(matrix: np.ndarray) -> np.ndarray:
    """The nearest matrix that 4 bits can hold. *Shape:* ``(rows, columns)``, of which up to 32 share a scale."""
    group = _group_4(matrix.shape[1])
    if not group:
        raise ModelError(f"expected a matrix with an even number of columns for 4 bits, found {matrix.shape[1]}")
    numbers, scale = _round(matrix, group, _LARGEST_4)
    return _joined(numbers * scale.astype(np.float32))


def integers(array: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix in 8 bits, and the scales that values along ``axis`` share; `dequantise` reads them too.

    *Shape:* both have the axes of ``array``, of which the scales have 1 along ``axis``.
    """
    numbers, scale = _round(np.moveaxis(array, axis, -1), array.shape[axis], _LARGEST)
    codes = np.ascontiguousarray(np.moveaxis(_joined(numbers).astype(np.int8), -1, axis))
    return codes, np.ascontiguousarray(np.moveaxis(scale[..., 0], -1, axis))


def _round(array: np.ndarray, size: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers up to ``largest``, and the scale of each group of columns.

    A whole row is one group where it does not split evenly, as the rows of a word table. *Shape:* ``(..., columns)`` to
    ``(..., groups, size)`` and ``(..., groups, 1)``.
    """
    columns = array.shape[-1]
    groups = array.astype(np.float32).reshape(*array.shape[:-1], columns // size if columns % size == 0 else 1, -1)
    scale = np.abs(groups).max(axis=-1, keepdims=True) / np.float32(largest)
    smallest, highest = _PRECISE
    if bool(((scale == 0) | ((scale >= smallest) & (scale <= highest))).all()):
        scale = scale.astype(np.float16)
    scale = np.where(scale > 0, scale, scale.dtype.type(1))
    return np.clip(np.rint(groups / scale.astype(np.float32)), -largest, largest), scale


def _joined(groups: np.ndarray) -> np.ndarray:
    """Groups of columns side by side. *Shape:* ``(..., groups, size)`` to ``(..., columns)``."""
    return groups.reshape(*groups.shape[:-2], -1)


def _group_4(columns: int) -> int:
    """How many columns share a scale in 4 bits, as many as divide them evenly; 0 if two numbers cannot share a byte."""
    return max((size for size in range(1, _GROUP_4 + 1) if columns % size == 0), default=0) if columns % 2 == 0 else 0


def _fits_4_bits(array: np.ndarray) -> bool:
    return array.ndim == 2 and _group_4(array.shape[1]) > 1 and np.array_equal(round_to_4_bits(array), array)


def _unpacked(array: np.ndarray) -> np.ndarray:
    """Two numbers of each byte, where 4 bits were used; other arrays as they are."""
    if array.dtype != np.uint8:
        return array
    pairs = np.stack((array & 15, array >> 4), axis=-1)
    return _joined(pairs).astype(np.int8) - np.int8(8)


def _to_float16(name: str, array: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        halved = array.astype(np.float16)
    if not np.isfinite(halved).all():
        largest = np.abs(array).max()
        raise ModelError(f"{name}: expected values up to 65,504, which 16 bits can hold, found {largest:g}")
    return halved
