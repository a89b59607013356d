"""A score: counts of what is right on two sides, and the percentages that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Score"]


@dataclass(slots=True)
class Score:
    """How much is right, of how much gold has and how much the system has; ratios are percentages.

    Ratios are computed before they are multiplied by 100, so that they equal those of the official evaluator to the
    last bit.

    Attributes:
        correct: What the system got right.
        gold: What gold has.
        system: What the system has.
        aligned: How many of the gold words are aligned with a system word; None for a score that is not about them.
    """

    correct: int = 0
    gold: int = 0
    system: int = 0
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """The percentage of what the system has that is correct."""
        return 100 * (self.correct / self.system) if self.system else 0.0

    @property
    def recall(self) -> float:
        """The percentage of what gold has that the system got right."""
        return 100 * (self.correct / self.gold) if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.system
        return 100 * (2 * self.correct / total) if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The percentage of aligned words that are correct: what is left if wrong tokens are not counted."""
        if self.aligned is None:
            return None
        return 100 * (self.correct / self.aligned) if self.aligned else 0.0

    def add(self, *, correct: int = 0, gold: int = 0, system: int = 0, aligned: int | None = None) -> None:
        """Count more of the same."""
        self.correct += correct
        self.gold += gold
        self.system += system
        if aligned is not None:
            self.aligned = (self.aligned or 0) + aligned

    def to_dict(self) -> dict[str, float]:
        """Return counts and percentages as plain values, those of aligned words only if there are any."""
        plain = {"gold": self.gold, "system": self.system, "correct": self.correct}
        ratios = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        if self.aligned is None or self.aligned_accuracy is None:
            return {**plain, **ratios}
        return {**plain, "aligned": self.aligned, **ratios, "aligned_accuracy": self.aligned_accuracy}
