"""Words from their characters: a convolution over character embeddings and a maximum over time (paper §2.2)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.nn import initialise
from pointree.vocabulary import PAD

__all__ = ["CharCnn"]


class CharCnn(nn.Module):
    """``tanh(max over positions of conv(embeddings))``: windows of ``window`` characters, ``filters`` outputs."""

    def __init__(self, *, n_chars: int, size: int, filters: int, window: int) -> None:
        super().__init__()
        self.window = window
        self.embedding = initialise.xavier(n_chars, size, fan_in=size, fan_out=1)
        self.filters = initialise.xavier(window * size, filters, fan_in=window * size, fan_out=filters)
        self.bias = initialise.bias(filters)

    def forward(self, chars: Tensor, lengths: Tensor, dtype: torch.dtype) -> Tensor:
        """One vector a form; what lies behind a form's last character has no influence.

        A character that has several numbers, its own and those of its parts, is the sum of their vectors.

        *Shape:* ``chars`` is ``(n_forms, max_chars, width)``, ``lengths`` ``(n_forms,)``; returns ``(n_forms,
        filters)``.
        """
        exists = torch.arange(chars.shape[1], device=chars.device) < lengths.unsqueeze(1)
        counts = (exists.unsqueeze(2) & (chars != PAD)).unsqueeze(3)
        embedded = (F.embedding(chars, self.embedding).to(dtype) * counts).sum(dim=2)
        margin = self.window // 2
        windows = F.pad(embedded, (0, 0, margin, margin)).unfold(1, self.window, 1).transpose(2, 3).flatten(2)
        # Not torch.matmul, which multiplies in another way, and rounds otherwise, where gradients are asked for.
        features = torch.addmm(self.bias.to(dtype), windows.flatten(0, 1), self.filters.to(dtype))
        features = features.view(*windows.shape[:2], -1)
        return features.masked_fill(~exists.unsqueeze(2), float("-inf")).amax(dim=1).tanh()
