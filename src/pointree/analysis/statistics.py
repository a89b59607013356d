"""What a treebank looks like to the three orders: Table 1 and Table 6 of the paper, recomputed.

Arcs from ROOT are left out of all counts of arcs, as in the paper.

Erratum. The caption of Table 6 defines the column `long` as arcs longer than 4. For all orders and all
treebanks at hand, the printed figures are those of arcs longer than 2, whereas `%long` of Table 1 is right
as defined. Both thresholds are reported here, so that either reading can be checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from pointree.errors import InputError
from pointree.transitions import BOTTOM_UP, is_projective
from pointree.treebank.formats import read_treebank, require_sentences
from pointree.treebank.sentence import Sentence

__all__ = ["AvailableDependents", "TreebankStatistics", "treebank_statistics"]

_LONG = 4
"""An arc between words further apart than this is long (Table 1)."""


@dataclass(frozen=True, slots=True)
class AvailableDependents:
    """Dependents that are attached before their head has its turn, per sentence (Table 6).

    Attributes:
        all: Those of any length.
        longer_than_2: Those more than 2 words from their head; what the paper prints as `long`.
        longer_than_4: Those more than 4 words from their head; what the paper says `long` to be.
    """

    all: float
    longer_than_2: float
    longer_than_4: float


@dataclass(frozen=True, slots=True)
class TreebankStatistics:
    """The figures of one file of gold trees.

    Attributes:
        sentences: The number of sentences.
        words: The number of syntactic words.
        long_pct: The percentage of arcs between words that are longer than 4.
        left_pct: The percentage of these long arcs that are leftward: the dependent stands before its head.
        nonprojective_pct: The percentage of sentences whose tree is not projective.
        available: For each order, what it can see of the dependents of a focus word.
    """

    sentences: int
    words: int
    long_pct: float
    left_pct: float
    nonprojective_pct: float
    available: dict[str, AvailableDependents]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return asdict(self)


def treebank_statistics(treebank: str | os.PathLike[str] | Iterable[Sentence]) -> TreebankStatistics:
    """Describe gold trees: how long arcs are, and which dependents each order has at hand.

        >>> treebank_statistics("train.conllu").nonprojective_pct

    The treebank is a file, CoNLL-U or CoNLL-X, or its sentences. It is read one sentence at a time.
    """
    if isinstance(treebank, str | os.PathLike):
        name = os.fspath(treebank)
        return _count(require_sentences(read_treebank(treebank), name), f"{name}: ")
    return _count(treebank)


def _count(sentences: Iterable[Sentence], prefix: str = "") -> TreebankStatistics:
    """Count over sentences; `prefix` goes before the place of an error."""
    n_sentences = n_words = n_arcs = n_long = n_left = n_nonprojective = 0
    available = {name: [0, 0, 0] for name in BOTTOM_UP}
    for n_sentences, sentence in enumerate(sentences, start=1):
        heads = _gold_heads(sentence, f"{prefix}sentence {n_sentences}")
        arcs = [(head, dependent) for dependent, head in enumerate(heads, start=1) if head]
        long_arcs = [(head, dependent) for head, dependent in arcs if abs(head - dependent) > _LONG]
        n_words += len(heads)
        n_arcs += len(arcs)
        n_long += len(long_arcs)
        n_left += sum(dependent < head for head, dependent in long_arcs)
        n_nonprojective += not is_projective(heads)
        for name, counts in available.items():
            turn = _turns(name, len(heads))
            lengths = [abs(head - dependent) for head, dependent in arcs if turn[dependent] < turn[head]]
            counts[0] += len(lengths)
            counts[1] += sum(length > 2 for length in lengths)
            counts[2] += sum(length > 4 for length in lengths)
    return TreebankStatistics(
        sentences=n_sentences,
        words=n_words,
        long_pct=100 * _ratio(n_long, n_arcs),
        left_pct=100 * _ratio(n_left, n_long),
        nonprojective_pct=100 * _ratio(n_nonprojective, n_sentences),
        available={
            name: AvailableDependents(*(_ratio(count, n_sentences) for count in counts))
            for name, counts in available.items()
        },
    )


def _gold_heads(sentence: Sentence, place: str) -> list[int]:
    heads = [head for head in sentence.heads if head is not None]
    if len(heads) != len(sentence):
        word = sentence.heads.index(None) + 1
        place += f" ({sentence.sent_id})" if sentence.sent_id else ""
        raise InputError(f"{place}: word {word} has no HEAD, statistics need complete trees")
    return heads


@lru_cache(maxsize=1024)
def _turns(order_name: str, n: int) -> tuple[int, ...]:
    """Return for each word of a sentence, by its index, the step at which it is attached."""
    turns = [0] * (n + 1)
    for step, word in enumerate(BOTTOM_UP[order_name].focus_sequence(n)):
        turns[word] = step
    return tuple(turns)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
