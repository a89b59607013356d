"""Weights in fewer bits: floats of 16, or whole numbers of 8 or 4 with scales.

A model is small on disk and always computes with floats: `quantise` is for writing, `dequantise` for reading. A matrix
``x`` of 8 bits is stored as ``x`` and ``x.scale``, whose product it is: one scale for each group of neighbouring
columns of a row, which costs 0.01 LAS on English where one scale for whole rows costs 0.06.

Four bits are too few for weights that were trained without regard to them. A table that was rounded before training, by
`round_to_4_bits`, and then left alone, is recognised and loses nothing; two of its numbers share a byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

from pointree.errors import ModelError

__all__ = ["SCALE", "Bits", "dequantise", "quantise", "round_to_4_bits"]

Bits = Literal[8, 16]

SCALE = ".scale"
_LARGEST, _LARGEST_4 = 127, 7
_GROUP, _GROUP_4 = 128, 32
_PRECISE = 2.0**-14, 65504.0
"""The smallest number that float16 has in full precision, and the largest."""


def quantise(weights: Mapping[str, Tensor], bits: Bits) -> dict[str, Tensor]:
    """All weights in 16 bits, or the matrices in 8 (in 4 where that loses nothing) and the rest in 16.

    The floats are float16: it has three bits of precision more than bfloat16, whose wider range no trained weight
    needs. One that does is a `ModelError`, and so is one that is no number.
    """
    stored: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if not bool(tensor.isfinite().all()):
            raise ModelError(f"{name}: expected numbers, found NaN or infinity")
        if bits == 8 and _fits_4_bits(tensor):
            numbers, scale = _round(tensor, _GROUP_4, _LARGEST_4)
            pairs = (numbers.flatten(-2) + 8).to(torch.uint8).unflatten(-1, (-1, 2))
            stored[name] = pairs[..., 0] | (pairs[..., 1] << 4)
            stored[name + SCALE] = scale.squeeze(-1)
        elif bits == 8 and tensor.dim() > 1:
            numbers, scale = _round(tensor, _GROUP, _LARGEST)
            stored[name] = numbers.to(torch.int8).flatten(-2)
            stored[name + SCALE] = scale.squeeze(-1)
        else:
            stored[name] = _to_float16(name, tensor)
    return stored


def dequantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights in 32 bits, however they were stored."""
    weights = {name: _unpacked(tensor).float() for name, tensor in tensors.items()}
    for name in [name for name in weights if name + SCALE in weights]:
        scale = weights.pop(name + SCALE)
        weights[name].unflatten(-1, (scale.shape[-1], -1)).mul_(scale.unsqueeze(-1))
    return weights


def round_to_4_bits(matrix: Tensor) -> Tensor:
    """The nearest matrix that 4 bits can hold. *Shape:* ``(rows, columns)``, of which 32 share a scale."""
    numbers, scale = _round(matrix, _GROUP_4, _LARGEST_4)
    return (numbers * scale).flatten(-2)


def _round(tensor: Tensor, size: int, largest: int) -> tuple[Tensor, Tensor]:
    """Whole numbers up to ``largest``, and the scale of each group of columns.

    A whole row is one group where it does not split evenly, as the rows of a word table. *Shape:* ``(..., columns)`` to
    ``(..., groups, size)`` and ``(..., groups, 1)``.
    """
    columns = tensor.shape[-1]
    groups = tensor.float().unflatten(-1, (columns // size if columns % size == 0 else 1, -1))
    scale = groups.abs().amax(dim=-1, keepdim=True) / largest
    smallest, highest = _PRECISE
    if bool(((scale == 0) | ((scale >= smallest) & (scale <= highest))).all()):
        scale = scale.to(torch.float16)
    scale = torch.where(scale > 0, scale, 1.0)
    return (groups / scale).round().clamp(-largest, largest), scale


def _fits_4_bits(tensor: Tensor) -> bool:
    return tensor.dim() == 2 and tensor.shape[1] % _GROUP_4 == 0 and torch.equal(round_to_4_bits(tensor), tensor)


def _unpacked(tensor: Tensor) -> Tensor:
    """Two numbers of each byte, where 4 bits were used; other tensors as they are."""
    if tensor.dtype != torch.uint8:
        return tensor
    return torch.stack((tensor & 15, tensor >> 4), dim=-1).flatten(-2).to(torch.int8) - 8


def _to_float16(name: str, tensor: Tensor) -> Tensor:
    halved = tensor.to(torch.float16)
    if not bool(torch.isfinite(halved).all()):
        raise ModelError(f"{name}: expected values up to 65,504, which 16 bits can hold, found {tensor.abs().max():g}")
    return halved
