"""From sentences to batches: each sentence is turned into numbers once, with its gold steps for training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from pointree.nn.batch import Batch, GoldSteps
from pointree.nn.heads import UNKNOWN
from pointree.nn.packing import Packing
from pointree.nn.pretrained_features import PretrainedFeatures
from pointree.transitions import Order, Slot, gold_steps
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import PAD, ROOT, Vocabularies

__all__ = ["MAX_CHARS", "EncodedSentence", "Featurizer", "GoldSentence"]

MAX_CHARS = 64
"""Characters of a word that the network reads; what follows in a longer word is left out."""

_FORM_CACHE = 1 << 16

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """The gold steps of a sentence in the order of their turns.

    Heads and labels are to be predicted. Slots hold the dependents that a step sees: those of the gold tree or, with
    `training.exploration`, those that the network predicted.

    *Shape:* ``(n,)``; ``slots`` is ``(n, n_slots)`` and holds words, 0 for none; ``step_of`` is ``(n + 1,)`` and has
    the step at which each word is the focus.
    """

    focus: IntArray
    heads: IntArray
    labels: IntArray
    slots: IntArray
    step_of: IntArray


@dataclass(frozen=True, slots=True)
class EncodedSentence:
    """A sentence as numbers; position 0 is ROOT.

    *Shape:* ``words``, ``tags`` and, of gold sentences, the classes of each predicted column are ``(n + 1,)``.
    """

    forms: tuple[str, ...]
    words: IntArray
    tags: IntArray
    gold: GoldSentence | None = None
    columns: Mapping[str, IntArray] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of words."""
        return len(self.forms)


class Featurizer:
    """Turns sentences into batches for the network, with its vocabularies and its order."""

    def __init__(
        self,
        vocabularies: Vocabularies,
        tag: str,
        order: Order,
        slots: Sequence[Slot],
        device: torch.device,
        pretrained: PretrainedFeatures | None = None,
    ) -> None:
        self.vocabularies = vocabularies
        self.tag = tag
        self.order = order
        self.slots = tuple(slots)
        self.device = device
        self.pretrained = pretrained
        self._chars: dict[str, IntArray] = {}

    def encode(self, sentence: Sentence, *, gold: bool = False) -> EncodedSentence:
        """Look up everything that the network reads in a sentence; with ``gold``, its gold steps too."""
        vocabularies, words = self.vocabularies, sentence.words
        lookup_word, lookup_tag = vocabularies.words.lookup, vocabularies.tags.lookup
        forms = tuple(word.form for word in words)
        if self.tag == "none":
            tags = np.full(len(words) + 1, ROOT)
        else:
            column = [word.xpos if self.tag == "xpos" else word.upos for word in words]
            tags = np.fromiter((ROOT, *map(lookup_tag, column)), dtype=np.int64, count=len(words) + 1)
        return EncodedSentence(
            forms=forms,
            words=np.fromiter((ROOT, *map(lookup_word, forms)), dtype=np.int64, count=len(forms) + 1),
            tags=tags,
            gold=self._gold(sentence) if gold else None,
            columns=self._columns(sentence) if gold else {},
        )

    def _columns(self, sentence: Sentence) -> dict[str, IntArray]:
        """The gold classes of the columns that the network predicts; ROOT has none."""
        columns = self.vocabularies.columns
        return {
            column: np.array([UNKNOWN, *(columns.number(column, word) for word in sentence.words)])
            for column in columns.classes
        }

    def _gold(self, sentence: Sentence) -> GoldSentence:
        steps = gold_steps(sentence.heads, self.order)
        lookup, deprels = self.vocabularies.deprels.lookup, sentence.deprels
        step_of = np.zeros(len(steps) + 1, dtype=np.int64)
        for number, step in enumerate(steps):
            step_of[step.focus] = number
        return GoldSentence(
            focus=np.array([step.focus for step in steps]),
            heads=np.array([step.head for step in steps]),
            labels=np.array([lookup(deprels[step.focus - 1]) for step in steps]),
            slots=np.array([[step.slots[slot] for slot in self.slots] for step in steps], dtype=np.int64),
            step_of=step_of,
        )

    def batch(self, sentences: Sequence[EncodedSentence]) -> Batch:
        """Put sentences together; they must be sorted by length, longest first."""
        positions = Packing.of([len(sentence) + 1 for sentence in sentences], self.device)
        forms, chars, char_lengths = self._forms(sentences, positions)
        pretrained = None
        if self.pretrained is not None:
            pretrained = self.pretrained.inputs([sentence.forms for sentence in sentences], positions)
        return Batch(
            positions=positions,
            words=self._tensor(positions.pack(_pad([sentence.words for sentence in sentences]))),
            tags=self._tensor(positions.pack(_pad([sentence.tags for sentence in sentences]))),
            forms=self._tensor(forms),
            chars=self._tensor(chars),
            char_lengths=self._tensor(char_lengths),
            gold=self._gold_steps(sentences, positions),
            pretrained=pretrained,
            columns={
                column: self._tensor(positions.pack(_pad([sentence.columns[column] for sentence in sentences])))
                for column in sentences[0].columns
            },
        )

    def _tensor(self, array: IntArray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _forms(self, sentences: Sequence[EncodedSentence], positions: Packing) -> tuple[IntArray, IntArray, IntArray]:
        """Which form each position has, and the characters of each distinct form; form 0 is ROOT's."""
        numbers: dict[str, int] = {}
        columns = []
        for sentence in sentences:
            column = [0]
            column.extend(numbers.setdefault(form, len(numbers) + 1) for form in sentence.forms)
            columns.append(np.array(column))
        spelled = [self._spell(""), *(self._spell(form) for form in numbers)]
        lengths = np.array([len(spelling) for spelling in spelled])
        return positions.pack(_pad(columns)), _pad(spelled), lengths

    def _spell(self, form: str) -> IntArray:
        """The numbers of a form's characters; nothing is spelled as ROOT. *Shape:* ``(n_chars, width)``."""
        spelling = self._chars.get(form)
        if spelling is None:
            chars = self.vocabularies.chars
            spelling = chars.spell(form[:MAX_CHARS]) if form else np.array([[ROOT] + [PAD] * (chars.width - 1)])
            if len(self._chars) >= _FORM_CACHE:
                self._chars.clear()
            self._chars[form] = spelling
        return spelling

    def _gold_steps(self, sentences: Sequence[EncodedSentence], positions: Packing) -> GoldSteps | None:
        gold = [sentence.gold for sentence in sentences if sentence.gold is not None]
        if len(gold) < len(sentences):
            return None
        steps = Packing.of([len(sentence) for sentence in sentences], self.device)
        focus, heads = _pad([each.focus for each in gold]), _pad([each.heads for each in gold])
        return GoldSteps(
            steps=steps,
            focus=self._tensor(steps.pack(focus)),
            focus_rows=self._tensor(steps.pack(np.take_along_axis(positions.table, focus, axis=1))),
            heads=self._tensor(steps.pack(heads)),
            head_rows=self._tensor(steps.pack(np.take_along_axis(positions.table, heads, axis=1))),
            labels=self._tensor(steps.pack(_pad([each.labels for each in gold]))),
            state_ids=self._tensor(steps.pack(_state_ids(gold, steps, len(self.slots)))),
        )


def _state_ids(gold: Sequence[GoldSentence], steps: Packing, n_slots: int) -> IntArray:
    """The ids of the decoder states that each step reads: the previous state, then one for each slot.

    *Shape:* ``(batch_size, n_steps, 1 + n_slots)``. Ids are those of `pointree.nn.decoder.new_memory`: 0 is a missing
    dependent, then come the initial states, then the states of all steps in packed order.
    """
    first = 1 + steps.batch_size
    state_ids = np.zeros((steps.batch_size, steps.n_steps, 1 + n_slots), dtype=np.int64)
    state_ids[:, 0, 0] = np.arange(1, first)
    state_ids[:, 1:, 0] = first + steps.table[:, :-1]
    if n_slots:
        words = _pad([each.slots for each in gold])
        step_of = _pad([each.step_of for each in gold])
        steps_read = np.take_along_axis(step_of, words.reshape(len(gold), -1), axis=1)
        rows = np.take_along_axis(steps.table, steps_read, axis=1).reshape(words.shape)
        state_ids[:, :, 1:] = np.where(words > 0, first + rows, 0)
    return state_ids


def _pad(arrays: Sequence[IntArray]) -> IntArray:
    """Stack arrays of different lengths, filling up with zeros."""
    longest = max(len(array) for array in arrays)
    padded = np.zeros((len(arrays), longest, *arrays[0].shape[1:]), dtype=np.int64)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return padded
