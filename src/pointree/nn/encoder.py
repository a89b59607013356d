"""The encoder: a stack of bidirectional LSTM layers over ROOT and the words (paper §2.2)."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from pointree.nn.lstm import BiLstmLayer
from pointree.nn.packing import Packing

__all__ = ["Encoder"]


class Encoder(nn.Module):
    """h₀ … h_n from embeddings; h₀ stands for ROOT."""

    def __init__(self, *, inputs: int, size: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            BiLstmLayer(inputs=inputs if layer == 0 else 2 * size, size=size, dropout=dropout)
            for layer in range(layers)
        )

    def set_dropout(self, probability: float) -> None:
        """Have another dropout in all layers."""
        for layer in self.layers:
            cast(BiLstmLayer, layer).dropout = probability

    def forward(self, x: Tensor, positions: Packing) -> tuple[Tensor, Tensor]:
        """States of all positions, and the last layer's final cells of each sentence.

        *Shape:* ``(n_rows, inputs)`` to ``(n_rows, 2 · size)`` and ``(batch_size, 2 · size)``.
        """
        final_cells = x
        for layer in self.layers:
            x, final_cells = layer(x, positions)
        return x, final_cells
