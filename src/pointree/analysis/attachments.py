"""Gold trees and the trees of several systems as columns of numbers, one row a word.

All sides must have the same sentences and words: how accuracy depends on the length of a sentence or on the position of
a word can only be asked of words that are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.errors import InputError
from pointree.evaluation.relations import universal_deprel
from pointree.treebank.sentence import Sentence
from pointree.treebank.validity import tree_faults

__all__ = ["Arcs", "Attachments", "SystemOutput", "check_same_words", "crossing_arcs", "read_attachments"]


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs of one side. *Shape:* all ``(n_words,)``.

    Attributes:
        heads: The head of each word within its sentence, 0 being ROOT.
        deprels: Its label without the subtype.
        lengths: Words from dependent to head, 0 for arcs of ROOT.
        crossing: Whether the arc is not projective: it spans a word that does not descend from its head.
    """

    heads: NDArray[np.int64]
    deprels: NDArray[np.str_]
    lengths: NDArray[np.int64]
    crossing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """What one system made of the gold words. *Shape:* the arrays are ``(n_words,)``."""

    name: str
    arcs: Arcs
    right_heads: NDArray[np.bool_]
    right: NDArray[np.bool_]
    """Head and label are both right; the label without its subtype, unless whole labels were asked for."""


@dataclass(frozen=True, slots=True)
class Attachments:
    """Gold words and arcs, and the systems' arcs. *Shape:* the arrays are ``(n_words,)``.

    Attributes:
        sentences: The number of the sentence, from 0.
        sentence_lengths: The number of words in it.
        positions: The position of the word in it, from 1.
        upos: Its gold tag.
    """

    sentences: NDArray[np.int64]
    sentence_lengths: NDArray[np.int64]
    positions: NDArray[np.int64]
    upos: NDArray[np.str_]
    gold: Arcs
    systems: tuple[SystemOutput, ...]

    def non_trees(self, arcs: Arcs) -> int:
        """The number of sentences in which these arcs are no tree with one root."""
        ends = np.flatnonzero(np.diff(self.sentences)) + 1
        return sum(bool(tree_faults(heads.tolist())) for heads in np.split(arcs.heads, ends))

    @property
    def n_words(self) -> int:
        """The number of words."""
        return len(self.positions)

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return int(self.sentences[-1]) + 1


def read_attachments(
    gold: Iterable[Sentence],
    systems: Sequence[Iterable[Sentence]],
    names: Sequence[str],
    gold_name: str = "gold",
    files: Sequence[str] = (),
    *,
    subtypes: bool = False,
) -> Attachments:
    """Line up gold sentences with the same sentences of each system; messages call these by `files`, or by `names`.

    With ``subtypes``, a label is right only as a whole.
    """
    gold = list(gold)
    if not gold:
        raise InputError(f"{gold_name}: no sentences found")
    lengths = np.array([len(sentence) for sentence in gold])
    gold_arcs = _arcs(gold, gold_name)
    found = []
    for name, file, sentences in zip(names, files or names, systems, strict=True):
        parsed = list(sentences)
        check_same_words(gold, parsed, gold_name, file)
        arcs = _arcs(parsed, file)
        right_heads = arcs.heads == gold_arcs.heads
        right_labels = arcs.deprels == gold_arcs.deprels
        if subtypes:
            right_labels = _whole_labels(parsed) == _whole_labels(gold)
        found.append(SystemOutput(name, arcs, right_heads, right_heads & right_labels))
    return Attachments(
        sentences=np.repeat(np.arange(len(gold)), lengths),
        sentence_lengths=np.repeat(lengths, lengths),
        positions=np.concatenate([np.arange(1, n + 1) for n in lengths]),
        upos=np.array([word.upos for sentence in gold for word in sentence.words]),
        gold=gold_arcs,
        systems=tuple(found),
    )


def crossing_arcs(heads: Sequence[int]) -> list[bool]:
    """For each word 1 … n, whether a word between it and its head does not descend from that head."""
    first, after = _visits(heads)
    crossing = []
    for word, head in enumerate(heads, 1):
        between = first[min(head, word) + 1 : max(head, word)]
        outside = len(between) > 0 and (between.min() < first[head] or between.max() >= after[head])
        crossing.append(bool(outside))
    return crossing


def _visits(heads: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When a walk through the tree enters each node and has left its last descendant.

    A node descends from another if it is entered between the two. What is in a cycle is never entered (-1).
    """
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        dependents[head].append(word)
    first = np.full(len(heads) + 1, -1)
    after = np.full(len(heads) + 1, -1)
    time, stack = 0, [0]
    while stack:
        node = stack.pop()
        if node < 0:
            after[~node] = time
            continue
        first[node] = time
        time += 1
        stack.append(~node)
        stack += dependents[node]
    return first, after


def _arcs(sentences: Sequence[Sentence], name: str) -> Arcs:
    heads: list[int] = []
    lengths: list[int] = []
    crossing: list[bool] = []
    for number, sentence in enumerate(sentences, 1):
        own = [head for head in sentence.heads if head is not None]
        if len(own) != len(sentence):
            word = sentence.heads.index(None) + 1
            raise InputError(f"{_place(name, number, sentence)}: word {word} has no HEAD, expected a complete tree")
        heads += own
        lengths += [abs(head - word) if head else 0 for word, head in enumerate(own, 1)]
        crossing += crossing_arcs(own)
    deprels = [universal_deprel(word.deprel) for sentence in sentences for word in sentence.words]
    return Arcs(np.array(heads), np.array(deprels), np.array(lengths), np.array(crossing))


def _whole_labels(sentences: Iterable[Sentence]) -> NDArray[np.str_]:
    return np.array([word.deprel for sentence in sentences for word in sentence.words])


def check_same_words(gold: Sequence[Sentence], system: Sequence[Sentence], gold_name: str, name: str) -> None:
    """Refuse a system whose sentences and words are not those of gold; messages call both by their names."""
    if len(gold) != len(system):
        raise InputError(f"{name}: expected the {len(gold):,} sentences of {gold_name}, found {len(system):,}")
    for number, (left, right) in enumerate(zip(gold, system, strict=True), 1):
        if len(left) != len(right):
            raise InputError(
                f"{_place(name, number, right)}: expected {len(left)} words as in {gold_name}, found {len(right)}"
            )
        for word, other in zip(left.words, right.words, strict=True):
            if word.form != other.form:
                raise InputError(
                    f"{_place(name, number, right)}: expected word {word.id} to be {word.form!r} as in {gold_name}, "
                    f"found {other.form!r}"
                )


def _place(name: str, number: int, sentence: Sentence) -> str:
    return f"{name}: sentence {number}" + (f" ({sentence.sent_id})" if sentence.sent_id else "")
