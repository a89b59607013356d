"""Training on the network's own attachments, mistakes included, and not on gold ones alone.

The decoder reads the states of the dependents that the focus word already has. If these are always the right ones in
training, it learns to trust them, and is led astray by its first mistake when it parses (docs/notes/ablations.md has
the figures). So some or all words are shown to later steps as the network attached them in the epoch before; in the
first epoch, as in the gold tree. What a step has to predict remains the gold head, even where search would refuse it
after such mistakes. The guesses come from training itself: they are made under dropout, one word at a time, under no
rule. Top-down, steps read the states of words above and beside the focus word, which are on the way to the gold target:
there is nothing to explore.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from pointree.batches.features import NumberedSentence
from pointree.nn.packing import Packing
from pointree.training.distributed import Group
from pointree.transitions import TransitionSystem, slots_by_step

__all__ = ["Exploration"]


class Exploration:
    """The training sentences, and the head that each decoder last predicted for each of their words.

    Attributes:
        heads: The heads of words 1 to n of every sentence, one sentence after the other; at first the gold ones. There
            is a row for each transition system.
    """

    def __init__(
        self, sentences: Sequence[NumberedSentence], systems: Sequence[TransitionSystem], probability: float
    ) -> None:
        if not all(sentence.gold for sentence in sentences):
            raise ValueError("only sentences with gold steps can be explored")
        self.sentences = sentences
        self.systems = systems
        self.probability = probability
        self.starts = np.cumsum([0, *map(len, sentences)])
        gold = [sentence.gold[0] for sentence in sentences]  # heads are the same in every order
        self.gold_heads = torch.cat([torch.from_numpy(each.targets[each.step_of[1:]]) for each in gold])
        self.heads = self.gold_heads.repeat(len(systems), 1)
        self.is_new = torch.zeros(len(self.gold_heads), dtype=torch.bool)

    def sentence(self, number: int) -> NumberedSentence:
        """A sentence whose steps see some words attached as predicted."""
        sentence, words = self.sentences[number], self._words(number)
        explored = torch.rand(len(self.systems), len(sentence)) < self.probability
        seen = torch.where(explored, self.heads[:, words], self.gold_heads[words]).tolist()
        gold = []
        for system, heads, own in zip(self.systems, seen, sentence.gold, strict=True):
            slots = np.array(slots_by_step(heads, system.order), dtype=np.int64)
            gold.append(replace(own, slots=slots[:, [int(slot) for slot in system.slots]]))
        return replace(sentence, gold=tuple(gold))

    def remember(self, numbers: Sequence[int], steps: Packing, predicted: Tensor) -> None:
        """Keep what was predicted for a batch. *Shape:* ``predicted`` is ``(n_systems, n_rows)``, packed."""
        by_step = steps.pad(predicted.t()).cpu()
        for number, heads in zip(numbers, by_step, strict=True):
            for row, gold in enumerate(self.sentences[number].gold):
                self.heads[row, self._words(number)] = heads[torch.from_numpy(gold.step_of[1:]), row]
            self.is_new[self._words(number)] = True

    def exchange(self, group: Group) -> None:
        """Take over what other processes predicted for their sentences."""
        if group.size > 1:
            *predicted, is_new = group.sum(torch.stack([*(self.heads * self.is_new), self.is_new.to(self.heads.dtype)]))
            self.heads = torch.where(is_new > 0, torch.stack(predicted).to(self.heads.dtype), self.heads)
        self.is_new.zero_()

    def state(self) -> dict[str, Tensor]:
        """The predicted heads; see `Technique`."""
        return {"heads": self.heads.squeeze(0)}  # one row is written as it was when there could be no others

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """See `Technique`."""
        self.heads.copy_(state["heads"])

    def restart(self) -> None:
        """Keep what was predicted: better weights soon predict other heads."""

    def _words(self, number: int) -> slice:
        """Where the words of a sentence are among all."""
        return slice(self.starts[number], self.starts[number + 1])
