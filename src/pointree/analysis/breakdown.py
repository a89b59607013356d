"""Accuracy by what a word or its arc is like: the length of its sentence, its position, its label and so on.

A group holds the gold words of one kind; accuracy is the share of them that is attached right. Where the kind depends
on the arc (its length, its label, whether it crosses others), a system has words of that kind of its own, and the
share of those that are right is its precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.analysis.attachments import Arcs, Attachments

__all__ = ["Accuracy", "Breakdown", "GoldGroups", "WordGroup", "accuracy_of_all", "break_down", "gold_groups"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a system did on a group, in percent.

    Attributes:
        uas: Right heads among the gold words of the group; None where there are none.
        las: Right heads and labels among them; None where there are none.
        words: The words that are of this kind in the system's trees; None where the kind does not depend on trees.
        precision: Right heads and labels among those; None where there are none.
    """

    uas: float | None
    las: float | None
    words: int | None = None
    precision: float | None = None

    def cells(self, of_arcs: bool) -> list[str]:
        """UAS and LAS as a table shows them, and the precision of arcs."""
        figures = (self.uas, self.las, self.precision) if of_arcs else (self.uas, self.las)
        return ["–" if figure is None else f"{figure:.2f}" for figure in figures]


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Words of one kind: how many there are in gold, and each system's accuracy, in the order of the systems."""

    name: str
    words: int
    accuracies: tuple[Accuracy, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All groups of one question."""

    key: str
    title: str
    groups: tuple[WordGroup, ...]
    ordered: bool
    """Whether the groups follow each other, so that a curve can join them."""
    of_arcs: bool = False
    """Whether the kind of a word depends on its arc, so that systems have a precision."""


Kinds = Callable[[Attachments, Arcs], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class _Question:
    """How words fall into groups.

    `kinds` gives the number of each word's group, as the arcs of one side have it, and `names` the names of
    the groups.
    """

    key: str
    title: str
    kinds: Kinds
    names: Sequence[str]
    of_arcs: bool
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class GoldGroups:
    """The groups of one question by gold: the number of each word's group, ``(n_words,)``, and the groups' names."""

    title: str
    kinds: NDArray[np.int64]
    names: Sequence[str]


def gold_groups(attachments: Attachments) -> list[GoldGroups]:
    """The groups by sentence length, word position and dependency length, as gold has them."""
    questions = [question for question in _FIXED if question.ordered]
    return [GoldGroups(each.title, each.kinds(attachments, attachments.gold), each.names) for each in questions]


def accuracy_of_all(attachments: Attachments) -> tuple[Accuracy, ...]:
    """Each system's accuracy over all words."""
    return tuple(Accuracy(_percent(system.right_heads), _percent(system.right)) for system in attachments.systems)


def break_down(attachments: Attachments) -> list[Breakdown]:
    """Answer all questions; groups that have no word, in gold or in the trees of a system, are left out."""
    questions = [*_FIXED, _by_symbol("label", "Label", attachments), _by_symbol("upos", "UPOS", attachments)]
    return [_answer(attachments, question) for question in questions]


def _answer(attachments: Attachments, question: _Question) -> Breakdown:
    gold = question.kinds(attachments, attachments.gold)
    sides = [question.kinds(attachments, system.arcs) for system in attachments.systems] if question.of_arcs else []
    groups = []
    for number, name in enumerate(question.names):
        of_gold = gold == number
        if not any((side == number).any() for side in (gold, *sides)):
            continue
        accuracies = []
        for place, system in enumerate(attachments.systems):
            uas, las = _percent(system.right_heads[of_gold]), _percent(system.right[of_gold])
            if question.of_arcs:
                own = sides[place] == number
                accuracies.append(Accuracy(uas, las, int(own.sum()), _percent(system.right[own])))
            else:
                accuracies.append(Accuracy(uas, las))
        groups.append(WordGroup(name, int(of_gold.sum()), tuple(accuracies)))
    return Breakdown(question.key, question.title, tuple(groups), question.ordered, question.of_arcs)


def _percent(right: NDArray[np.bool_]) -> float | None:
    return float(100.0 * right.mean()) if len(right) else None


_TENS = (10, 20, 30, 40)
_TEN_NAMES = ("1–10", "11–20", "21–30", "31–40", "> 40")  # the groups of the paper's figure
_LENGTHS = (0, 1, 2, 3, 6, 10)
_LENGTH_NAMES = ("ROOT", "1", "2", "3", "4–6", "7–10", "> 10")


def _binned(values: NDArray[np.int64], limits: Sequence[int]) -> NDArray[np.int64]:
    """The number of the first limit that is not below each value."""
    return np.searchsorted(np.asarray(limits), values)


_FIXED = (
    _Question(
        "sentence_length",
        "Sentence length",
        lambda attachments, _arcs: _binned(attachments.sentence_lengths, _TENS),
        _TEN_NAMES,
        of_arcs=False,
    ),
    _Question(
        "word_position",
        "Word position",
        lambda attachments, _arcs: _binned(attachments.positions, _TENS),
        _TEN_NAMES,
        of_arcs=False,
    ),
    _Question(
        "dependency_length",
        "Dependency length",
        lambda _attachments, arcs: _binned(arcs.lengths, _LENGTHS),
        _LENGTH_NAMES,
        of_arcs=True,
    ),
    _Question(
        "projectivity",
        "Non-projective arcs",
        lambda _attachments, arcs: arcs.crossing.astype(np.int64),
        ("projective", "non-projective"),
        of_arcs=True,
        ordered=False,
    ),
)


def _by_symbol(key: str, title: str, attachments: Attachments) -> _Question:
    """Groups by label or tag, the most frequent in gold first, those that only systems have last."""
    gold = attachments.gold.deprels if key == "label" else attachments.upos
    counts = Counter(
        {str(symbol): 0 for system in attachments.systems for symbol in system.arcs.deprels if key == "label"}
    )
    counts.update(map(str, gold))
    ranked = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
    numbers = {symbol: number for number, symbol in enumerate(ranked)}

    def kinds(attachments: Attachments, arcs: Arcs) -> NDArray[np.int64]:
        own = arcs.deprels if key == "label" else attachments.upos
        return np.array([numbers[str(symbol)] for symbol in own])

    return _Question(key, title, kinds, ranked, of_arcs=key == "label", ordered=False)
