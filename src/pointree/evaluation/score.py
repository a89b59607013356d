"""A score: counts of what is right on two sides, and the percentages that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Score"]


@dataclass(slots=True)
class Score:
    """How much is right, of how much gold has and how much the system has; ratios are percentages."""

    correct: int = 0
    gold: int = 0
    system: int = 0

    @property
    def precision(self) -> float:
        """The percentage of what the system has that is correct."""
        return 100 * self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """The percentage of what gold has that the system got right."""
        return 100 * self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.system
        return 200 * self.correct / total if total else 0.0

    def add(self, *, correct: int = 0, gold: int = 0, system: int = 0) -> None:
        """Count more of the same."""
        self.correct += correct
        self.gold += gold
        self.system += system

    def to_dict(self) -> dict[str, float]:
        """Return counts and percentages as plain values."""
        counts = {"gold": self.gold, "system": self.system, "correct": self.correct}
        return {**counts, "precision": self.precision, "recall": self.recall, "f1": self.f1}
