"""The network of the segmenter: dilated convolutions over characters, which say where tokens and sentences end."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from pointree.config import SegmenterConfig
from pointree.nn import initialise
from pointree.nn.linear import Projection
from pointree.text.alphabet import N_SHAPES
from pointree.text.boundaries import N_CLASSES
from pointree.text.char_segmenter import CharSegmenter, SegmenterRules

__all__ = ["SegmenterNetwork", "SegmenterScores"]

_KERNEL = 3


class SegmenterNetwork(nn.Module):
    """``h₀ = ReLU(C[char] + S[shape])``, ``hᵢ₊₁ = hᵢ + ReLU(convᵢ(hᵢ))``, ``logits = h W + b``.

    Layer ``i`` sees a character and those ``2ⁱ`` before and after it. So the scores of a character depend on `margin`
    characters on each side of it and on nothing else: give a window that much of its surroundings, or padding, and they
    do not depend on the window. ``rules`` are what a segmenter knows beside its weights.
    """

    def __init__(self, config: SegmenterConfig, rules: SegmenterRules) -> None:
        super().__init__()
        self.rules, size, n_chars = rules, config.size, len(rules.alphabet)
        self.dilations = [2**layer for layer in range(config.layers)]
        self.dropout = config.dropout
        self.chars = initialise.xavier(n_chars, size, fan_in=size, fan_out=1)
        self.shapes = initialise.xavier(N_SHAPES, size, fan_in=size, fan_out=1)
        self.layers = nn.ModuleList(Projection(inputs=_KERNEL * size, outputs=size) for _ in self.dilations)
        self.output = Projection(inputs=size, outputs=N_CLASSES)

    @property
    def margin(self) -> int:
        """How many characters on each side a score depends on."""
        return sum(self.dilations)

    def segmenter(self) -> CharSegmenter:
        """What cuts text by the scores of this network."""
        return CharSegmenter(self.rules, SegmenterScores(self), self.margin)

    def forward(self, chars: Tensor, shapes: Tensor) -> Tensor:
        """The scores of each character, as `pointree.text.boundaries` reads them.

        *Shape:* ``chars`` and ``shapes`` are ``(batch_size, n)``; returns ``(batch_size, n, n_classes)``.
        """
        hidden = F.relu(F.embedding(chars, self.chars) + F.embedding(shapes, self.shapes))
        hidden = self._dropped(hidden.transpose(1, 2).contiguous())  # convolutions are fastest over whole channels
        for dilation, layer in zip(self.dilations, self.layers, strict=True):
            # Weights are stored as a matrix, which 8 bits hold best: the rows of the left neighbour first.
            weight, bias = layer.get_parameter("weight"), layer.get_parameter("bias")
            kernel = weight.view(_KERNEL, -1, weight.shape[1]).permute(2, 1, 0)
            update = F.conv1d(hidden, kernel, bias, padding=dilation, dilation=dilation)
            hidden = hidden + self._dropped(F.relu(update))
        logits: Tensor = self.output(hidden.transpose(1, 2).flatten(0, 1))
        return logits.view(*chars.shape, N_CLASSES)

    def _dropped(self, hidden: Tensor) -> Tensor:
        """In training, windows lose some of their channels as a whole."""
        if not self.training or not self.dropout:
            return hidden
        keep = 1 - self.dropout
        return hidden * (torch.rand(*hidden.shape[:2], 1, device=hidden.device) < keep) / keep


class SegmenterScores:
    """The network as a function of arrays, which is what `pointree.text` asks for."""

    def __init__(self, network: SegmenterNetwork) -> None:
        self.network = network

    @torch.inference_mode()
    def __call__(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> NDArray[np.float32]:
        """*Shape:* ``(batch_size, n)`` to ``(batch_size, n, n_classes)``."""
        device = self.network.chars.device
        found = self.network(torch.from_numpy(chars).to(device), torch.from_numpy(shapes).to(device))
        scores: NDArray[np.float32] = found.float().cpu().numpy()
        return scores
