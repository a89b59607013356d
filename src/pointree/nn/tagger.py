"""A classifier on the encoder that predicts tags, for text that has none; it is not in the paper."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from pointree.nn.linear import Projection, softmax_precision
from pointree.vocabulary import ROOT, Vocabulary

__all__ = ["Tagger"]

_N_SPECIALS = len(Vocabulary.specials)


class Tagger(nn.Module):
    """One linear map from the encoder's rows, trained together with the parser."""

    def __init__(self, *, inputs: int, n_tags: int) -> None:
        super().__init__()
        self.projection = Projection(inputs=inputs, outputs=n_tags)

    def loss(self, states: Tensor, tags: Tensor) -> Tensor:
        """The sum of the cross-entropies of all words; ROOT has no tag to learn.

        *Shape:* ``states`` is ``(n_rows, inputs)``, ``tags`` ``(n_rows,)``.
        """
        logits = softmax_precision(self.projection(states))
        return F.cross_entropy(logits, tags, ignore_index=ROOT, reduction="sum")

    def best(self, states: Tensor) -> Tensor:
        """The best tag of each position. *Shape:* ``(n_rows, inputs)`` to ``(n_rows,)``."""
        logits: Tensor = self.projection(states)
        return logits[:, _N_SPECIALS:].argmax(dim=1) + _N_SPECIALS
