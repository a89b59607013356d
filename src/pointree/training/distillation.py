"""Training on what a better but slower model thinks: its probabilities of arcs and labels, with gold trees mixed in.

The teacher is a model, or several together: usually a model of several orders, or an ensemble. It parses the training
sentences once, however often the run is resumed: its probabilities stay in the output folder while the run goes on.
Each decoder then learns from the teacher's probability of every head, and from its distribution over the labels of
gold arcs, as well as from the gold tree. `training.teacher_weight` is the teacher's share of the loss.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from pointree.models.layout import CONFIG, PRETRAINED_IDENTITY, VOCABULARIES, WEIGHTS
from pointree.models.registry import resolve_model
from pointree.nn.batch import GoldSteps, SoftTargets
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.running.batching import plan_batches
from pointree.training.teacher_file import Probabilities, TeacherFile
from pointree.treebank.sentence import Sentence

__all__ = ["Distillation", "teacher_checksum", "teacher_names"]


def teacher_names(teachers: Sequence[Parser]) -> str:
    """What the teachers are called, without the folders of this machine."""
    return " ".join(Path(os.path.abspath(teacher.name)).name for teacher in teachers)


def teacher_checksum(teachers: Sequence[Parser]) -> str:
    """A checksum of all that decides what models say, by which a resumed run knows that it has the same teachers."""
    digest = hashlib.sha256()
    for teacher in teachers:
        folder = resolve_model(teacher.name)
        for name in (CONFIG, *VOCABULARIES.values(), WEIGHTS, PRETRAINED_IDENTITY):
            if (folder / name).is_file():
                with open(folder / name, "rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


class Distillation:
    """The training sentences with the probabilities of their teachers, which are kept in a folder.

    ``about`` says what the probabilities depend on: see `TeacherFile`.
    """

    def __init__(
        self,
        teachers: Sequence[Parser],
        sentences: Sequence[Sentence],
        deprels: Sequence[str],
        weight: float,
        *,
        folder: Path,
        about: Mapping[str, str],
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> None:
        self.weight = weight
        self.teachers = teachers
        self.numbers = {deprel: number for number, deprel in enumerate(deprels)}
        lengths = [len(sentence) for sentence in sentences]
        batches = list(plan_batches(lengths, batch_words=ParseOptions().batch_words))
        order = [number for batch in batches for number in batch]
        labels = hashlib.sha256("\n".join(deprels).encode()).hexdigest()
        self.file = TeacherFile(folder, lengths, order, len(deprels), {**about, "labels": labels})
        if self.file.done < len(sentences):
            self.file.extend(self._answers(sentences, batches, on_progress))

    def _answers(
        self, sentences: Sequence[Sentence], batches: Sequence[Sequence[int]], on_progress: Callable[[int, int], None]
    ) -> Iterator[list[tuple[Probabilities, Probabilities]]]:
        """The heads and labels of every sentence of the batches that are not done."""
        done, end = self.file.done, 0
        for batch in batches:
            start, end = end, end + len(batch)
            if end > done:
                yield self._ask([sentences[number] for number in batch])[max(0, done - start) :]
                on_progress(end, len(sentences))

    def _ask(self, sentences: Sequence[Sentence]) -> list[tuple[Probabilities, Probabilities]]:
        """The mean opinion of the teachers on sentences that are sorted by falling length."""
        n_positions = len(sentences[0]) + 1
        gold = np.zeros((len(sentences), n_positions), dtype=np.int64)
        for row, sentence in enumerate(sentences):
            gold[row, 1 : len(sentence) + 1] = [head or 0 for head in sentence.heads]
        heads = np.zeros((*gold.shape, n_positions))
        labels = np.zeros((*gold.shape, len(self.numbers)))
        for teacher in self.teachers:
            posteriors = teacher.posteriors(sentences, ParseOptions())
            heads += posteriors.heads()
            known = [
                (own, self.numbers[name])
                for own, name in enumerate(teacher.vocabularies.deprels.symbols)
                if name in self.numbers
            ]
            theirs, ours = (list(column) for column in zip(*known, strict=True))
            labels[:, :, ours] += posteriors.labels(gold, teacher.root_label)[:, :, theirs]
        labels /= np.maximum(
            labels.sum(axis=2, keepdims=True), 1e-12
        )  # labels that only the teachers know are left out
        found = []
        for row, sentence in enumerate(sentences):
            words = slice(1, len(sentence) + 1)
            own = heads[row, words, : len(sentence) + 1] / len(self.teachers)
            found.append((own.astype(np.float16), labels[row, words].astype(np.float16)))
        return found

    def targets(self, numbers: Sequence[int], gold: GoldSteps) -> SoftTargets:
        """What the teachers say of the steps of a batch of these sentences."""
        steps = gold.steps
        heads = np.zeros((steps.n_rows, steps.n_steps + 1), dtype=np.float32)
        labels = np.zeros((steps.n_rows, self.file.n_labels), dtype=np.float32)
        focus = gold.focus.cpu().numpy()
        for row, number in enumerate(numbers):
            rows = steps.table[row, : steps.lengths[row]]
            words = focus[rows] - 1
            heads[rows, : steps.lengths[row] + 1] = self.file.heads(number)[words]
            labels[rows] = self.file.labels(number)[words]
        device = gold.focus.device
        return SoftTargets(torch.from_numpy(heads).to(device), torch.from_numpy(labels).to(device), self.weight)
