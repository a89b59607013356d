"""Sentences that are known rest now and then, so that an epoch spends its time where there is something to learn.

A sentence is known if the loss of its average word, when it was last trained on, was below that of the average word of
all sentences. It then rests with a given chance, and counts for more in the epochs in which it does not, so that what
is learned remains the whole treebank. (Qin et al., "InfoBatch: Lossless Training Speed Up by Unbiased Dynamic Data
Pruning", 2024, do this with images.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from pointree.nn.packing import Packing

__all__ = ["Rest"]


class Rest:
    """The loss that each training sentence last had, and what follows from it for the next epoch.

    Attributes:
        losses: The mean loss of the words of each sentence, infinite before it was trained on. *Shape:* ``(n,)``.
        weights: What each sentence counts in this epoch, 0 if it rests. *Shape:* ``(n,)``.
    """

    def __init__(self, lengths: Sequence[int], chance: float) -> None:
        self.lengths = torch.tensor(lengths, dtype=torch.float32)
        self.chance = chance
        self.losses = torch.full((len(lengths),), torch.inf)
        self.weights = torch.ones(len(lengths))

    def start(self, seed: int, epoch: int) -> list[int]:
        """Begin an epoch: the numbers of the sentences that do not rest."""
        drawn = np.random.default_rng((seed, epoch, 1)).random(len(self.losses))
        mean = (self.losses * self.lengths).sum() / self.lengths.sum()
        known = self.losses < torch.minimum(mean, self.losses.max())  # a rounded mean may be above all of them
        resting = known & (torch.from_numpy(drawn) < self.chance)
        self.weights = torch.where(known, 1.0 / (1.0 - self.chance), 1.0).masked_fill(resting, 0.0)
        return (~resting).nonzero()[:, 0].tolist()

    def weights_of(self, numbers: Sequence[int], steps: Packing) -> Tensor:
        """What each word of a batch counts. *Shape:* returns ``(n_rows,)``, packed."""
        return self.weights[list(numbers)].to(steps.device).index_select(0, steps.sentence_index)

    def remember(self, numbers: Sequence[int], steps: Packing, losses: Tensor) -> None:
        """Keep the losses of a batch. *Shape:* ``losses`` is ``(n_rows,)``, packed."""
        sums = losses.new_zeros(steps.batch_size).index_add(0, steps.sentence_index, losses)
        self.losses[list(numbers)] = (sums / steps.length_tensor).float().cpu()

    def restore(self, losses: Tensor) -> None:
        """Go on with the losses that another object of this kind had."""
        self.losses.copy_(losses)
