"""How parameters start: Xavier for matrices, zero for biases, U(±1/√size) for recurrent layers."""

from __future__ import annotations

import math

import torch
from torch import nn

__all__ = ["bias", "recurrent", "xavier"]


def xavier(*shape: int, fan_in: int, fan_out: int) -> nn.Parameter:
    """A parameter from Glorot's uniform distribution for a map of ``fan_in`` to ``fan_out``."""
    bound = math.sqrt(6.0 / (fan_in + fan_out))
    return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))


def recurrent(*shape: int, size: int) -> nn.Parameter:
    """A parameter of an LSTM with ``size`` hidden units, uniform in ±1/√size."""
    bound = 1.0 / math.sqrt(size)
    return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))


def bias(*shape: int) -> nn.Parameter:
    """A parameter of zeros."""
    return nn.Parameter(torch.zeros(*shape))
