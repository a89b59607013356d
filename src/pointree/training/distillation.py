"""Training on what a better but slower model thinks: its probabilities of arcs and labels, with gold trees mixed in.

The teacher is a model, or several together: usually a model of several orders, or an ensemble. It parses the training
sentences once. Each decoder then learns from the teacher's probability of every head, and from its distribution over
the labels of gold arcs, as well as from the gold tree. `training.teacher_weight` is the teacher's share of the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from pointree.nn.batch import GoldSteps, SoftTargets
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.running.batching import plan_batches
from pointree.treebank.sentence import Sentence

__all__ = ["Distillation"]

Probabilities = NDArray[np.float16]


class Distillation:
    """The training sentences with the probabilities of their teachers.

    *Shape:* for a sentence of n words, ``heads`` has ``(n, n + 1)``, ``labels`` ``(n, n_labels)``.
    """

    def __init__(
        self,
        teachers: Sequence[Parser],
        sentences: Sequence[Sentence],
        deprels: Sequence[str],
        weight: float,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.weight = weight
        self.heads: list[Probabilities] = [np.zeros(0, np.float16)] * len(sentences)
        self.labels: list[Probabilities] = [np.zeros(0, np.float16)] * len(sentences)
        numbers = {deprel: number for number, deprel in enumerate(deprels)}
        done = 0
        for batch in plan_batches([len(sentence) for sentence in sentences], batch_words=ParseOptions().batch_words):
            self._ask(teachers, batch, [sentences[number] for number in batch], numbers)
            done += len(batch)
            if on_progress is not None:
                on_progress(done, len(sentences))

    def _ask(
        self, teachers: Sequence[Parser], batch: Sequence[int], sentences: Sequence[Sentence], numbers: dict[str, int]
    ) -> None:
        """Note the mean opinion of the teachers on sentences that are sorted by falling length."""
        n_positions = len(sentences[0]) + 1
        gold = np.zeros((len(sentences), n_positions), dtype=np.int64)
        for row, sentence in enumerate(sentences):
            gold[row, 1 : len(sentence) + 1] = [head or 0 for head in sentence.heads]
        heads = np.zeros((*gold.shape, n_positions))
        labels = np.zeros((*gold.shape, len(numbers)))
        for teacher in teachers:
            posteriors = teacher.posteriors(sentences, ParseOptions())
            heads += posteriors.heads()
            known = [
                (own, numbers[name]) for own, name in enumerate(teacher.vocabularies.deprels.symbols) if name in numbers
            ]
            theirs, ours = (list(column) for column in zip(*known, strict=True))
            labels[:, :, ours] += posteriors.labels(gold, teacher.root_label)[:, :, theirs]
        labels /= np.maximum(
            labels.sum(axis=2, keepdims=True), 1e-12
        )  # labels that only the teachers know are left out
        for row, (number, sentence) in enumerate(zip(batch, sentences, strict=True)):
            words = slice(1, len(sentence) + 1)
            self.heads[number] = (heads[row, words, : len(sentence) + 1] / len(teachers)).astype(np.float16)
            self.labels[number] = labels[row, words].astype(np.float16)

    def targets(self, numbers: Sequence[int], gold: GoldSteps) -> SoftTargets:
        """What the teachers say of the steps of a batch of these sentences."""
        steps = gold.steps
        n_labels = self.labels[numbers[0]].shape[1]
        heads = np.zeros((steps.n_rows, steps.n_steps + 1), dtype=np.float32)
        labels = np.zeros((steps.n_rows, n_labels), dtype=np.float32)
        focus = gold.focus.cpu().numpy()
        for row, number in enumerate(numbers):
            rows = steps.table[row, : steps.lengths[row]]
            words = focus[rows] - 1
            heads[rows, : steps.lengths[row] + 1] = self.heads[number][words]
            labels[rows] = self.labels[number][words]
        device = gold.focus.device
        return SoftTargets(torch.from_numpy(heads).to(device), torch.from_numpy(labels).to(device), self.weight)
