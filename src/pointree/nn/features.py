"""Batches of tensors for the network: features, gold steps and what a pretrained model reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from pointree.batches.features import Featurizer, GoldSentence, IntArray, NumberedSentence, pad
from pointree.nn.batch import Batch, GoldSteps
from pointree.nn.packing import Packing
from pointree.nn.pretrained_features import PretrainedFeatures
from pointree.transitions import TransitionSystem
from pointree.vocabulary import Vocabularies

__all__ = ["TensorFeaturizer"]


class TensorFeaturizer(Featurizer):
    """Turns sentences into batches on a device."""

    def __init__(
        self,
        vocabularies: Vocabularies,
        tag: str,
        systems: Iterable[TransitionSystem],
        device: torch.device,
        pretrained: PretrainedFeatures | None = None,
    ) -> None:
        super().__init__(vocabularies, tag, systems)
        self.device = device
        self.pretrained = pretrained

    def batch(self, sentences: Sequence[NumberedSentence]) -> Batch:
        """Put sentences together; they must be sorted by length, longest first."""
        found = self.features(sentences)
        positions = Packing(found.positions.lengths, self.device)
        gold = [sentence.gold for sentence in sentences]
        return Batch(
            positions=positions,
            words=self._tensor(found.words),
            tags=self._tensor(found.tags),
            forms=self._tensor(found.forms),
            chars=self._tensor(found.chars),
            char_lengths=self._tensor(found.char_lengths),
            gold=self._gold_of_systems(gold, positions) if all(gold) else (),
            pretrained=None if self.pretrained is None else self.pretrained.inputs(found.texts, positions),
            columns={
                column: self._tensor(positions.pack(pad([sentence.columns[column] for sentence in sentences])))
                for column in sentences[0].columns
            },
        )

    def _tensor(self, array: IntArray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _gold_of_systems(self, gold: Sequence[tuple[GoldSentence, ...]], positions: Packing) -> tuple[GoldSteps, ...]:
        """The gold steps of each transition system."""
        by_system = zip(self.systems, zip(*gold, strict=True), strict=True)
        return tuple(self._gold_steps(each, positions, system) for system, each in by_system)

    def _gold_steps(self, gold: Sequence[GoldSentence], positions: Packing, system: TransitionSystem) -> GoldSteps:
        steps = Packing.of([len(each.focus) for each in gold], self.device)
        focus, targets = pad([each.focus for each in gold]), pad([each.targets for each in gold])
        packed_focus, labels = self._tensor(steps.pack(focus)), steps.pack(pad([each.labels for each in gold]))
        attaching = np.flatnonzero(steps.pack(focus != targets)) if system.order.is_top_down else None
        return GoldSteps(
            steps=steps,
            focus=packed_focus,
            never=torch.zeros_like(packed_focus) if system.order.is_top_down else packed_focus,
            focus_rows=self._tensor(steps.pack(np.take_along_axis(positions.table, focus, axis=1))),
            targets=self._tensor(steps.pack(targets)),
            target_rows=self._tensor(steps.pack(np.take_along_axis(positions.table, targets, axis=1))),
            labels=self._tensor(labels if attaching is None else labels[attaching]),
            state_ids=self._tensor(steps.pack(_state_ids(gold, steps))),
            attaching=None if attaching is None else self._tensor(attaching),
        )


def _state_ids(gold: Sequence[GoldSentence], steps: Packing) -> IntArray:
    """The ids of the decoder states that each step reads: the previous state, then one for each slot.

    *Shape:* ``(batch_size, n_steps, 1 + n_slots)``. Ids are those of `pointree.nn.decoder.new_memory`: 0 is a missing
    dependent, then come the initial states, then the states of all steps in packed order.
    """
    first, n_slots = 1 + steps.batch_size, gold[0].slots.shape[1]
    state_ids = np.zeros((steps.batch_size, steps.n_steps, 1 + n_slots), dtype=np.int64)
    state_ids[:, 0, 0] = np.arange(1, first)
    state_ids[:, 1:, 0] = first + steps.table[:, :-1]
    if n_slots:
        words = pad([each.slots for each in gold])
        step_of = pad([each.step_of for each in gold])
        steps_read = np.take_along_axis(step_of, words.reshape(len(gold), -1), axis=1)
        rows = np.take_along_axis(steps.table, steps_read, axis=1).reshape(words.shape)
        state_ids[:, :, 1:] = np.where(words > 0, first + rows, 0)
    return state_ids
