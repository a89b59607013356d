"""The encoder of the paper: a stack of bidirectional LSTM layers over ROOT and the words (§2.2)."""

from __future__ import annotations

from collections.abc import Generator
from typing import cast

from torch import Tensor, nn

from pointree.config import BiLstmConfig
from pointree.nn.encoders.encoder import Encoder
from pointree.nn.lstm import BiLstmLayer
from pointree.nn.packing import Packing

__all__ = ["BiLstm"]


class BiLstm(Encoder):
    """h₀ … h_n from embeddings; h₀ stands for ROOT. The start state is the last layer's final cells."""

    def __init__(self, settings: BiLstmConfig, *, inputs: int) -> None:
        super().__init__(settings, inputs=inputs)
        self.inputs = inputs
        self.size = self.state_size = 2 * settings.size
        self.layers = nn.ModuleList(
            BiLstmLayer(inputs=inputs if layer == 0 else self.size, size=settings.size, dropout=settings.dropout)
            for layer in range(settings.layers)
        )

    def set_dropout(self, probability: float) -> None:
        """See `Encoder`."""
        for layer in self.layers:
            cast(BiLstmLayer, layer).dropout = probability

    def forward(self, rows: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        """See `Encoder`. *Shape:* ``(n_rows, inputs)`` to ``(n_rows, size)`` and ``(batch_size, size)``."""
        final_cells = rows
        for layer in self.layers:
            rows, final_cells = layer(rows, packing)
        return rows, final_cells

    def steps(self, rows: Tensor, packing: Packing) -> Generator[None, None, tuple[Tensor, Tensor]]:
        """See `Encoder`; pauses after every layer."""
        final_cells = rows
        for layer in self.layers:
            rows, final_cells = layer(rows, packing)
            yield
        return rows, final_cells

    def flops(self, n_positions: int) -> int:
        """See `Encoder`."""
        products, inputs = 0, self.inputs
        for _layer in self.layers:
            products += n_positions * inputs * 4 * self.size
            products += (n_positions - 1) * (self.size // 2) * 4 * self.size  # the first step has no state to multiply
            inputs = self.size
        return 2 * products
