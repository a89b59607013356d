"""From sentences to numbers: each sentence is looked up once, with its gold steps for training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from pointree.batches.layout import Layout
from pointree.transitions import TransitionSystem, pointing_steps
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import PAD, ROOT, Vocabularies

__all__ = [
    "MAX_CHARS",
    "UNKNOWN_CLASS",
    "BatchFeatures",
    "Featurizer",
    "GoldSentence",
    "IntArray",
    "NumberedSentence",
    "pad",
]

MAX_CHARS = 64
"""Characters of a word that the network reads; what follows in a longer word is left out."""

UNKNOWN_CLASS = -1
"""The class of what teaches nothing: ROOT, padding, words whose value is not known, and steps without a label."""

_FORM_CACHE = 1 << 16

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """The gold steps of a sentence in the order of their turns.

    Targets and labels are to be predicted. A target is what the focus word points at: bottom-up its head, top-down its
    next dependent, or itself where it is popped; a step that pops has no label. Slots hold the words whose states a
    step reads: those of the gold tree or, with `training.exploration`, those that the network predicted.

    *Shape:* ``(n_steps,)``; ``slots`` is ``(n_steps, n_slots)`` and holds words, 0 for none; ``step_of`` is ``(n +
    1,)`` and has the step at which each word gets its head.
    """

    focus: IntArray
    targets: IntArray
    labels: IntArray
    slots: IntArray
    step_of: IntArray


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A sentence as numbers; position 0 is ROOT. ``gold`` has its steps in each transition system.

    *Shape:* ``words``, ``tags`` and, of gold sentences, the classes of each predicted column are ``(n + 1,)``.
    """

    forms: tuple[str, ...]
    words: IntArray
    tags: IntArray
    gold: tuple[GoldSentence, ...] = ()
    columns: Mapping[str, IntArray] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of words."""
        return len(self.forms)


@dataclass(frozen=True, slots=True)
class BatchFeatures:
    """A batch of sentences as numbers, sorted by length, longest first; position 0 of each is ROOT.

    *Shape:* ``words``, ``tags`` and ``forms`` are ``(n_rows,)``; ``chars`` is ``(n_forms, max_chars, width)``,
    the numbers of each character and of its parts, and ``char_lengths`` ``(n_forms,)``; ``forms`` has the row of
    ``chars`` for each position. ``texts`` are the words of each sentence.
    """

    positions: Layout
    words: IntArray
    tags: IntArray
    forms: IntArray
    chars: IntArray
    char_lengths: IntArray
    texts: Sequence[Sequence[str]]


class Featurizer:
    """Turns sentences into numbers, with the vocabularies of a model and its transition systems."""

    def __init__(self, vocabularies: Vocabularies, tag: str, systems: Iterable[TransitionSystem]) -> None:
        self.vocabularies = vocabularies
        self.tag = tag
        self.systems = tuple(systems)
        self._chars: dict[str, IntArray] = {}

    def numbers_of(self, sentence: Sentence, *, gold: bool = False) -> NumberedSentence:
        """Look up everything that the network reads in a sentence; with ``gold``, its gold steps too."""
        vocabularies, words = self.vocabularies, sentence.words
        lookup_word, lookup_tag = vocabularies.words.lookup, vocabularies.tags.lookup
        forms = tuple(word.form for word in words)
        if self.tag == "none":
            tags = np.full(len(words) + 1, ROOT)
        else:
            column = [word.xpos if self.tag == "xpos" else word.upos for word in words]
            tags = np.fromiter((ROOT, *map(lookup_tag, column)), dtype=np.int64, count=len(words) + 1)
        return NumberedSentence(
            forms=forms,
            words=np.fromiter((ROOT, *map(lookup_word, forms)), dtype=np.int64, count=len(forms) + 1),
            tags=tags,
            gold=tuple(self._gold(sentence, system) for system in self.systems) if gold else (),
            columns=self._columns(sentence) if gold else {},
        )

    def _columns(self, sentence: Sentence) -> dict[str, IntArray]:
        """The gold classes of the columns that the network predicts; ROOT has none."""
        columns = self.vocabularies.columns
        return {
            column: np.array([UNKNOWN_CLASS, *(columns.number(column, word) for word in sentence.words)])
            for column in columns.classes
        }

    def _gold(self, sentence: Sentence, system: TransitionSystem) -> GoldSentence:
        steps = pointing_steps(sentence.heads, system)
        lookup, deprels = self.vocabularies.deprels.lookup, sentence.deprels
        step_of = np.zeros(len(sentence) + 1, dtype=np.int64)
        for number, step in enumerate(steps):
            if step.dependent:
                step_of[step.dependent] = number
        return GoldSentence(
            focus=np.array([step.focus for step in steps]),
            targets=np.array([step.position for step in steps]),
            labels=np.array(
                [lookup(deprels[step.dependent - 1]) if step.dependent else UNKNOWN_CLASS for step in steps],
                dtype=np.int64,
            ),
            slots=np.array([step.reads for step in steps], dtype=np.int64),
            step_of=step_of,
        )

    def features(self, sentences: Sequence[NumberedSentence]) -> BatchFeatures:
        """Put sentences together; they must be sorted by length, longest first."""
        positions = Layout.of_lengths([len(sentence) + 1 for sentence in sentences])
        forms, chars, char_lengths = self._forms(sentences, positions)
        return BatchFeatures(
            positions=positions,
            words=positions.pack(pad([sentence.words for sentence in sentences])),
            tags=positions.pack(pad([sentence.tags for sentence in sentences])),
            forms=forms,
            chars=chars,
            char_lengths=char_lengths,
            texts=[sentence.forms for sentence in sentences],
        )

    def _forms(self, sentences: Sequence[NumberedSentence], positions: Layout) -> tuple[IntArray, IntArray, IntArray]:
        """Which form each position has, and the characters of each distinct form; form 0 is ROOT's."""
        distinct = dict.fromkeys(chain.from_iterable(sentence.forms for sentence in sentences))
        numbers = dict(zip(distinct, count(1), strict=False))
        columns = [np.array([0, *map(numbers.__getitem__, sentence.forms)]) for sentence in sentences]
        spelled = [self._spell(""), *map(self._spell, numbers)]
        lengths = np.fromiter(map(len, spelled), dtype=np.int64, count=len(spelled))
        return positions.pack(pad(columns)), pad(spelled), lengths

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


def pad(arrays: Sequence[IntArray]) -> IntArray:
    """Stack arrays of different lengths, filling up with zeros."""
    lengths = np.fromiter(map(len, arrays), dtype=np.int64, count=len(arrays))
    longest = int(lengths.max())
    padded = np.zeros((len(arrays), longest, *arrays[0].shape[1:]), dtype=np.int64)
    padded[np.arange(longest) < lengths[:, None]] = np.concatenate(arrays)
    return padded
