"""Training on the network's own attachments, mistakes included, and not on gold ones alone.

The decoder reads the states of the dependents that the focus word already has. If these are always the right ones in
training, it learns to trust them, and is led astray by its first mistake when it parses. So some or all words are shown
to later steps as the network attached them in the epoch before; what a step has to predict remains the gold head.
The guesses are those of training, under dropout, and therefore as often wrong as the ones on new text or nearly so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from pointree.nn.features import EncodedSentence, GoldSentence
from pointree.nn.packing import Packing
from pointree.transitions import Order, Slot, slots_by_step

__all__ = ["Exploration"]


class Exploration:
    """The training sentences, and the head that the network last predicted for each of their words.

    Attributes:
        heads: The heads of words 1 to n of every sentence, one sentence after the other; at first the gold ones.
    """

    def __init__(
        self, sentences: Sequence[EncodedSentence], order: Order, slots: Sequence[Slot], probability: float
    ) -> None:
        self.sentences = sentences
        self.gold = [sentence.gold for sentence in sentences if sentence.gold is not None]
        if len(self.gold) < len(sentences):
            raise ValueError("only sentences with gold steps can be explored")
        self.order = order
        self.slots = [int(slot) for slot in slots]
        self.probability = probability
        self.starts = np.cumsum([0, *map(len, sentences)])
        self.heads = torch.cat([_heads_by_word(gold) for gold in self.gold])

    def sentence(self, number: int) -> EncodedSentence:
        """A sentence whose steps see some words attached as predicted."""
        sentence, gold = self.sentences[number], self.gold[number]
        explored = torch.rand(len(sentence)) < self.probability
        seen = torch.where(explored, self._guesses(number), _heads_by_word(gold))
        slots = np.array(slots_by_step(seen.tolist(), self.order), dtype=np.int64)
        return replace(sentence, gold=replace(gold, slots=slots[:, self.slots]))

    def remember(self, numbers: Sequence[int], steps: Packing, predicted: Tensor) -> None:
        """Keep what was predicted for a batch of sentences. *Shape:* ``predicted`` is ``(n_rows,)``, packed."""
        by_step = steps.pad(predicted.unsqueeze(1)).squeeze(2).cpu()
        for number, heads in zip(numbers, by_step, strict=True):
            focus = torch.from_numpy(self.gold[number].focus)
            self._guesses(number)[focus - 1] = heads[: len(focus)]

    def _guesses(self, number: int) -> Tensor:
        """The predicted heads of one sentence, as a view."""
        return self.heads[self.starts[number] : self.starts[number + 1]]


def _heads_by_word(gold: GoldSentence) -> Tensor:
    """The gold heads of words 1 to n. *Shape:* ``(n,)``."""
    return torch.from_numpy(gold.heads[gold.step_of[1:]])
