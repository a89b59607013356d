"""The pointer and the labeler: biaffine scores of a decoder state against encoder states (paper §2.2).

    score(s_t, h_j) = f₁(s_t)ᵀ W f₂(h_j) + Uᵀ f₁(s_t) + Vᵀ f₂(h_j) + b

f₁ reads the state of a step, f₂ the position that it may point at: bottom-up the one is the dependent and the other the
head, whence the names; top-down it is the other way round. Everything that depends on the position alone is computed
once a sentence: the score is then one inner product,
f₁(s_t) · (W f₂(h_j) + U) + (V · f₂(h_j) + b).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from pointree.nn import initialise
from pointree.nn.linear import Mlp

__all__ = ["ArcScorer", "HeadKeys", "LabelScorer"]


class HeadKeys(NamedTuple):
    """The head side of the pointer's scores.

    *Shape:* ``keys`` is ``(n_rows, size)``, ``biases`` ``(n_rows,)``.
    """

    keys: Tensor
    biases: Tensor


class ArcScorer(nn.Module):
    """The pointer: one biaffine score for each pair of focus word and possible head."""

    def __init__(self, *, state_size: int, encoding_size: int, size: int) -> None:
        super().__init__()
        self.dependent = Mlp(inputs=state_size, outputs=size)
        self.head = Mlp(inputs=encoding_size, outputs=size)
        self.bilinear = initialise.xavier(size, size, fan_in=size, fan_out=size)
        self.dependent_linear = initialise.xavier(size, fan_in=size, fan_out=1)
        self.head_linear = initialise.xavier(size, fan_in=size, fan_out=1)
        self.bias = initialise.bias(1)

    def head_keys(self, heads: Tensor) -> HeadKeys:
        """Precompute the head side. *Shape:* ``heads`` is f₂(h), ``(n_rows, size)``."""
        dtype = heads.dtype
        keys = torch.addmm(self.dependent_linear.to(dtype), heads, self.bilinear.to(dtype).t())
        return HeadKeys(keys, torch.mv(heads, self.head_linear.to(dtype)) + self.bias.to(dtype))


class LabelScorer(nn.Module):
    """The labeler: a biaffine score for each label of an arc."""

    def __init__(self, *, state_size: int, encoding_size: int, size: int, n_labels: int) -> None:
        super().__init__()
        self.n_labels = n_labels
        self.dependent = Mlp(inputs=state_size, outputs=size)
        self.head = Mlp(inputs=encoding_size, outputs=size)
        self.bilinear = initialise.xavier(size, n_labels * size, fan_in=size, fan_out=size)
        self.dependent_linear = initialise.xavier(size, n_labels, fan_in=size, fan_out=n_labels)
        self.head_linear = initialise.xavier(size, n_labels, fan_in=size, fan_out=n_labels)
        self.bias = initialise.bias(n_labels)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Logits of the labels of arcs. *Shape:* both ``(n_arcs, size)``, returns ``(n_arcs, n_labels)``."""
        dtype = dependents.dtype
        products = torch.mm(dependents, self.bilinear.to(dtype)).unflatten(1, (self.n_labels, -1))
        logits = torch.bmm(products, heads.unsqueeze(2)).squeeze(2)
        logits = torch.addmm(logits, dependents, self.dependent_linear.to(dtype))
        return torch.addmm(logits, heads, self.head_linear.to(dtype)) + self.bias.to(dtype)
