"""Contextual vectors as one more part of the embeddings: the mix of layers, and the encoder if it trains."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pointree.config import ContextualConfig
from pointree.nn.contextual.encoder import ContextualEncoder
from pointree.nn.contextual.identity import EncoderIdentity
from pointree.nn.contextual.mix import ScalarMix
from pointree.nn.contextual.windows import SubwordBatch

__all__ = ["ContextualEmbedding"]


class ContextualEmbedding(nn.Module):
    """e_BERT of every word, and of ROOT (paper §2.2); only what is learned is a parameter."""

    def __init__(self, config: ContextualConfig, identity: EncoderIdentity) -> None:
        super().__init__()
        self.width = identity.width
        self.mix = ScalarMix(len(config.layers)) if config.mix == "learned" else None
        self.encoder: ContextualEncoder | None = None
        """An encoder that trains with the network; a frozen one is not part of it."""

    def forward(self, inputs: Tensor | SubwordBatch | None, dtype: torch.dtype) -> Tensor:
        """*Shape:* returns ``(n_rows, width)``."""
        if inputs is None:
            raise ValueError("the network has contextual embeddings, but the batch has none")
        if isinstance(inputs, SubwordBatch):
            if self.encoder is None:
                raise ValueError("sub-words need an encoder")
            layers: Tensor = self.encoder(inputs).to(dtype)
        else:
            layers = inputs.to(dtype)
        mixed: Tensor = self.mix(layers) if self.mix is not None else layers.squeeze(1)
        return mixed
