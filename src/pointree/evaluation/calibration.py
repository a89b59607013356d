"""How far reported probabilities are from the truth: the expected calibration error.

Words are put into 15 equal bins by their probability. In each bin, the mean probability is compared with the share of
words that are right; the error is the mean of the differences, each bin counting by its words. 0 is perfect.

A head is right if it is the gold head. A label, whose probability is given the head, is right if it is the gold label
with its subtype, whatever the head is. Only columns that the model predicted count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from pointree.errors import UsageError
from pointree.treebank.sentence import PROBABILITIES, Sentence

__all__ = ["Outcomes", "expected_calibration_error", "reported_outcomes"]

_BINS = 15


@dataclass(slots=True)
class Outcomes:
    """The probabilities of words, and whether they are right."""

    probabilities: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def add(self, probability: float, right: bool) -> None:
        """Count one more word."""
        self.probabilities.append(probability)
        self.right.append(right)


def expected_calibration_error(outcomes: Outcomes) -> float:
    """The error of these words."""
    probabilities, right = np.array(outcomes.probabilities), np.array(outcomes.right, dtype=float)
    if not len(right):
        return 0.0
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    differences = np.bincount(bins, probabilities - right, _BINS)
    return float(np.abs(differences).sum() / len(right))


def reported_outcomes(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> Mapping[str, Outcomes]:
    """The probabilities that a parser wrote into MISC, held against gold sentences with the same words."""
    found: defaultdict[str, Outcomes] = defaultdict(Outcomes)
    for place, (right, told) in enumerate(zip(gold, parsed, strict=True), 1):
        if len(right) != len(told):
            words = f"the {len(right)} words of gold in sentence {place}"
            raise UsageError(f"calibration: expected {words}, found {len(told)}")
        for word, answer in zip(told.words, right.words, strict=True):
            for quantity in PROBABILITIES:
                if (probability := word.probability(quantity)) is not None:
                    found[quantity].add(probability, getattr(word, quantity) == getattr(answer, quantity))
    if not found:
        raise UsageError(
            "calibration: expected probabilities in MISC (parse with the option probabilities), found none"
        )
    return found
