"""What changes while training goes on: learning rates, by the paper's plateaus or falling to zero, and dropout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pointree.config import TrainingConfig

__all__ = ["Plateau", "dropout_share", "learning_rate"]


@dataclass(slots=True)
class Plateau:
    """The paper's schedule: after ``patience`` evaluations without a gain, decay and restart from the best model."""

    factor: float = 1.0
    bad_evaluations: int = 0

    def update(self, improved: bool, config: TrainingConfig) -> bool:
        """Count an evaluation; true when training should restart from the best model."""
        self.bad_evaluations = 0 if improved else self.bad_evaluations + 1
        if config.schedule != "plateau" or self.bad_evaluations < config.patience:
            return False
        self.bad_evaluations = 0
        self.factor *= config.decay
        return True


def dropout_share(rise: int, epoch: int) -> float:
    """How much of its dropout an epoch has: with a rise of 3, a quarter in the first and all from the fourth on."""
    return min(1.0, epoch / (rise + 1))


def learning_rate(config: TrainingConfig, step: int, total_steps: int, plateau: Plateau) -> float:
    """The learning rate of a step, counted from 0, in a run of `total_steps`; at most half of them warm up."""
    rate, warmup = config.learning_rate, min(config.warmup, total_steps // 2)
    if step < warmup:
        return rate * (step + 1) / warmup
    if config.schedule == "plateau":
        return rate * plateau.factor
    progress = (step - warmup) / max(1, total_steps - warmup)
    if config.schedule == "linear":
        return rate * (1.0 - progress)
    return rate * 0.5 * (1.0 + math.cos(math.pi * progress))
