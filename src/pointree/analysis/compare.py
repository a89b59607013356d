"""The whole analysis of some systems: scores, pairwise differences with p-values, and all breakdowns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from pointree.analysis.attachments import Attachments
from pointree.analysis.bootstrap import Comparison, Resamples
from pointree.analysis.breakdown import Accuracy, Breakdown, accuracy_of_all, break_down

__all__ = ["Analysis", "Difference", "analyse_attachments"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems compared: the differences are those of the first less those of the second."""

    first: str
    second: str
    uas: Comparison
    las: Comparison


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that is known of some systems on a gold file.

    Attributes:
        gold: The name of the gold file.
        sentences: The number of its sentences.
        words: The number of its words.
        systems: The names of the systems, in the order of all that follows.
        scores: The accuracy of each system on all words.
        differences: Each two systems compared.
        breakdowns: The accuracy of each system on groups of words.
        resamples: The number of draws of the bootstrap.
        seed: The seed of the draws.
        non_trees: The number of sentences that are no trees with one root, in gold and then in each system.
        subtypes: Whether LAS compares whole labels, with their subtypes.
    """

    gold: str
    sentences: int
    words: int
    systems: tuple[str, ...]
    scores: tuple[Accuracy, ...]
    differences: tuple[Difference, ...]
    breakdowns: tuple[Breakdown, ...]
    resamples: int
    seed: int
    non_trees: tuple[int, ...]
    subtypes: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON; accuracies are by the names of the systems."""
        return {
            "gold": self.gold,
            "sentences": self.sentences,
            "words": self.words,
            "systems": list(self.systems),
            "subtypes": self.subtypes,
            "scores": self._by_system(self.scores),
            "non_trees": {
                "gold": self.non_trees[0],
                "systems": dict(zip(self.systems, self.non_trees[1:], strict=True)),
            },
            "bootstrap": {"resamples": self.resamples, "seed": self.seed},
            "differences": [asdict(difference) for difference in self.differences],
            "breakdowns": {
                breakdown.key: [
                    {"group": group.name, "words": group.words, "systems": self._by_system(group.accuracies)}
                    for group in breakdown.groups
                ]
                for breakdown in self.breakdowns
            },
        }

    def _by_system(self, accuracies: tuple[Accuracy, ...]) -> dict[str, Any]:
        return {
            name: {key: value for key, value in asdict(accuracy).items() if value is not None}
            for name, accuracy in zip(self.systems, accuracies, strict=True)
        }


def analyse_attachments(
    attachments: Attachments, gold: str, *, resamples: int = 10_000, seed: int = 1, subtypes: bool = False
) -> Analysis:
    """Score, compare and break down; `gold` is the name to show, ``subtypes`` how the attachments were read."""
    words = np.bincount(attachments.sentences)
    columns = [right for system in attachments.systems for right in (system.right_heads, system.right)]
    correct = [np.bincount(attachments.sentences, weights=right) for right in columns]
    numbered = list(enumerate(attachments.systems))
    # All systems are compared on the same draws, which are what takes time.
    draws = Resamples.draw(words, correct, resamples, seed) if len(numbered) > 1 else None
    differences = [
        Difference(left.name, right.name, draws.compare(2 * i, 2 * j), draws.compare(2 * i + 1, 2 * j + 1))
        for (i, left), (j, right) in combinations(numbered, 2)
        if draws is not None
    ]
    return Analysis(
        gold=gold,
        sentences=attachments.n_sentences,
        words=attachments.n_words,
        systems=tuple(system.name for system in attachments.systems),
        scores=accuracy_of_all(attachments),
        differences=tuple(differences),
        breakdowns=tuple(break_down(attachments)),
        resamples=resamples,
        seed=seed,
        non_trees=(
            attachments.non_trees(attachments.gold),
            *(attachments.non_trees(system.arcs) for system in attachments.systems),
        ),
        subtypes=subtypes,
    )
