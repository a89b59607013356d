"""A learned mean of layers, as in ELMo: softmax weights and one scale."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["ScalarMix"]


class ScalarMix(nn.Module):
    """γ · Σ softmax(w)ₗ · hₗ; it starts as the plain mean."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(n_layers))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, layers: Tensor) -> Tensor:
        """*Shape:* ``(n_rows, n_layers, width)`` to ``(n_rows, width)``."""
        weights = self.scale * torch.softmax(self.weights, dim=0)
        return torch.einsum("rlw,l->rw", layers, weights.to(layers.dtype))
