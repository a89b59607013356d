"""Pretrained vectors as one part of the embeddings: the mix of layers, and the model if it is fine-tuned."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pointree.config import PretrainedConfig
from pointree.pretrained.identity import PretrainedIdentity
from pointree.pretrained.model import PretrainedModel
from pointree.pretrained.windows import SubwordBatch

__all__ = ["PretrainedEmbedding", "ScalarMix"]


class PretrainedEmbedding(nn.Module):
    """e_BERT of every word, and of ROOT (paper §2.2); only what is learned is a parameter."""

    def __init__(self, config: PretrainedConfig, identity: PretrainedIdentity) -> None:
        super().__init__()
        self.width = identity.width
        self.mix = ScalarMix(len(config.layers)) if config.mix == "learned" else None
        self.model: PretrainedModel | None = None
        """A model that is fine-tuned with the network; a frozen one is not part of it."""

    def forward(self, inputs: Tensor | SubwordBatch | None, dtype: torch.dtype) -> Tensor:
        """*Shape:* returns ``(n_rows, width)``."""
        if inputs is None:
            raise ValueError("the network has pretrained embeddings, but the batch has none")
        if isinstance(inputs, SubwordBatch):
            if self.model is None:
                raise ValueError("sub-words need a fine-tuned pretrained model")
            # The weights stay in 32 bits; their products are computed in the type of the network.
            with torch.autocast(next(self.model.parameters()).device.type, dtype, enabled=dtype == torch.bfloat16):
                layers: Tensor = self.model(inputs).to(dtype)
        else:
            layers = inputs.to(dtype)
        mixed: Tensor = self.mix(layers) if self.mix is not None else layers.squeeze(1)
        return mixed


class ScalarMix(nn.Module):
    """A learned mean of layers, as in ELMo: γ · Σ softmax(w)ₗ · hₗ; it starts as the plain mean."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(n_layers))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, layers: Tensor) -> Tensor:
        """*Shape:* ``(n_rows, n_layers, width)`` to ``(n_rows, width)``."""
        weights = self.scale * torch.softmax(self.weights, dim=0)
        return torch.einsum("rlw,l->rw", layers, weights.to(layers.dtype))
