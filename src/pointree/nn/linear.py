"""Linear maps with weights of shape ``(inputs, outputs)``, which are fastest for small batches on CPUs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.nn import initialise

__all__ = ["Mlp", "Projection", "softmax_precision"]


class Projection(nn.Module):
    """``x W + b``, computed in the type of ``x``."""

    def __init__(self, *, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = initialise.xavier(inputs, outputs, fan_in=inputs, fan_out=outputs)
        self.bias = initialise.bias(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """*Shape:* ``(n_rows, inputs)`` to ``(n_rows, outputs)``."""
        return torch.addmm(self.bias.to(x.dtype), x, self.weight.to(x.dtype))


class Mlp(nn.Module):
    """``ELU(x W + b)``: the one-layer perceptrons f₁ and f₂ of the paper (§2.2, Table 2)."""

    def __init__(self, *, inputs: int, outputs: int) -> None:
        super().__init__()
        self.projection = Projection(inputs=inputs, outputs=outputs)

    def forward(self, x: Tensor) -> Tensor:
        """*Shape:* ``(n_rows, inputs)`` to ``(n_rows, outputs)``."""
        return F.elu(self.projection(x))


def softmax_precision(logits: Tensor) -> Tensor:
    """Logits in at least 32 bits, which a softmax needs."""
    return logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits
