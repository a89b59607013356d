"""Weights in fewer bits: floats of 16, or whole numbers of 8 with scales.

A model is small on disk and always computes with floats: `quantise` is for writing, `dequantise` for reading. A matrix
``x`` of 8 bits is stored as ``x`` and ``x.scale``, whose product it is: one scale for each group of neighbouring
columns of a row, which costs 0.01 LAS on English where one scale for whole rows costs 0.06.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

from pointree.errors import ModelError

__all__ = ["SCALE", "Bits", "dequantise", "quantise"]

Bits = Literal[8, 16]

SCALE = ".scale"
_LARGEST = 127
_GROUP = 128


def quantise(weights: Mapping[str, Tensor], bits: Bits) -> dict[str, Tensor]:
    """All weights in 16 bits, or the matrices in 8 and the rest in 16.

    The floats are float16: it has three bits of precision more than bfloat16, whose wider range no trained weight
    needs. One that does is a `ModelError`, and so is one that is no number.
    """
    stored: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if not bool(tensor.isfinite().all()):
            raise ModelError(f"{name}: expected numbers, found NaN or infinity")
        if bits == 8 and tensor.dim() > 1:
            grouped = tensor.float().unflatten(-1, (_n_groups(tensor.shape[-1]), -1))
            scale = _scale(grouped)
            stored[name] = (grouped / scale).round().to(torch.int8).flatten(-2)
            stored[name + SCALE] = scale.squeeze(-1)
        else:
            stored[name] = _to_float16(name, tensor)
    return stored


def dequantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights in 32 bits, however they were stored."""
    weights = {name: tensor.float() for name, tensor in tensors.items()}
    for name in [name for name in weights if name + SCALE in weights]:
        scale = weights.pop(name + SCALE)
        weights[name].unflatten(-1, (scale.shape[-1], -1)).mul_(scale.unsqueeze(-1))
    return weights


def _n_groups(columns: int) -> int:
    """A whole row is one group where it does not split evenly, as the rows of a word table."""
    return columns // _GROUP if columns % _GROUP == 0 else 1


def _scale(groups: Tensor) -> Tensor:
    """For each group the step between neighbouring numbers. *Shape:* ``(..., group)`` to ``(..., 1)``."""
    largest = groups.abs().amax(dim=-1, keepdim=True)
    return torch.where(largest > 0, largest / _LARGEST, 1.0)


def _to_float16(name: str, tensor: Tensor) -> Tensor:
    halved = tensor.to(torch.float16)
    if not bool(torch.isfinite(halved).all()):
        raise ModelError(f"{name}: expected values up to 65,504, which 16 bits can hold, found {tensor.abs().max():g}")
    return halved
