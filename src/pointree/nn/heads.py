"""Classifiers on the encoder's rows that predict UPOS, XPOS, FEATS and LEMMA; they are not in the paper.

They are trained together with the parser and share its encoder, so that a sentence is read once for everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.batches.features import UNKNOWN_CLASS
from pointree.config import HeadsConfig
from pointree.nn.linear import Mlp, Projection, softmax_precision

__all__ = ["ColumnHead", "ColumnHeads"]


class ColumnHead(nn.Module):
    """The scores of a column's classes: a linear map, after a hidden layer if ``size`` is not zero."""

    def __init__(self, *, inputs: int, size: int, n_classes: int) -> None:
        super().__init__()
        self.hidden = Mlp(inputs=inputs, outputs=size) if size else None
        self.projection = Projection(inputs=size or inputs, outputs=n_classes)

    def forward(self, rows: Tensor) -> Tensor:
        """*Shape:* ``(n_rows, inputs)`` to ``(n_rows, n_classes)``."""
        logits: Tensor = self.projection(rows if self.hidden is None else self.hidden(rows))
        return logits


class ColumnHeads(nn.ModuleDict):
    """One head for each column that is predicted; without any, it has no weights and returns nothing."""

    def __init__(self, config: HeadsConfig, *, inputs: int, n_classes: Mapping[str, int]) -> None:
        super().__init__(
            {column: ColumnHead(inputs=inputs, size=config.size, n_classes=n) for column, n in n_classes.items()}
        )
        self.weight = config.weight

    def forward(self, rows: Tensor) -> dict[str, Tensor]:
        """The scores of all columns. *Shape:* ``(n_rows, inputs)`` to ``(n_rows, n_classes)`` each."""
        return {column: head(rows) for column, head in self.items()}

    def loss(self, rows: Tensor, classes: Mapping[str, Tensor]) -> Tensor:
        """The weighted sum of the cross-entropies of all columns and words.

        *Shape:* ``rows`` is ``(n_rows, inputs)``, each column's ``classes`` ``(n_rows,)``.
        """
        losses = [
            F.cross_entropy(
                softmax_precision(cast(ColumnHead, head)(rows)),
                classes[column],
                ignore_index=UNKNOWN_CLASS,
                reduction="sum",
            )
            for column, head in self.items()
        ]
        return self.weight * torch.stack(losses).sum()
