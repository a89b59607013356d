"""Learning rates step by step, and dropout epoch by epoch."""

from __future__ import annotations

import math

import pytest

from pointree.config import TrainingConfig
from pointree.training.schedule import Plateau, dropout_share, learning_rate


def rates(config: TrainingConfig, total: int, plateau: Plateau | None = None) -> list[float]:
    return [learning_rate(config, step, total, plateau or Plateau()) for step in range(total)]


def test_dropout_rises_evenly_and_then_stays() -> None:
    assert [dropout_share(3, epoch) for epoch in range(1, 7)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]
    assert dropout_share(0, 1) == 1.0, "without a rise all of it is there from the start"


def test_a_plateau_decays_after_as_many_bad_evaluations_as_patience_has() -> None:
    config = TrainingConfig(schedule="plateau", patience=3, decay=0.75)
    plateau = Plateau()
    outcomes = [True, False, False, True, False, False, False, False, False, False, True]
    assert [plateau.update(improved, config) for improved in outcomes] == [
        *(False, False, False, False, False, False, True),
        *(False, False, True, False),
    ]
    assert plateau.factor == 0.75**2
    assert plateau.bad_evaluations == 0
    assert learning_rate(config, 1_000, 2_000, plateau) == pytest.approx(1e-3 * 0.5625)


def test_a_patience_of_one_restarts_at_every_bad_evaluation() -> None:
    config = TrainingConfig(schedule="plateau", patience=1, decay=0.5)
    plateau = Plateau()
    assert [plateau.update(improved, config) for improved in (True, False, False, True)] == [False, True, True, False]
    assert plateau.factor == 0.25


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_falling_schedules_never_restart(schedule: str) -> None:
    config = TrainingConfig(schedule=schedule, patience=1)  # type: ignore[arg-type]
    plateau = Plateau()
    assert not any(plateau.update(False, config) for _ in range(10))
    assert plateau.factor == 1.0


def test_the_plateau_schedule_is_constant_between_decays() -> None:
    assert rates(TrainingConfig(schedule="plateau", learning_rate=0.002), 5) == [0.002] * 5


def test_linear_falls_evenly_to_next_to_nothing() -> None:
    assert rates(TrainingConfig(schedule="linear", learning_rate=0.4), 4) == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_cosine_falls_slowly_at_both_ends() -> None:
    found = rates(TrainingConfig(schedule="cosine", learning_rate=2.0), 4)
    assert found == pytest.approx([1 + math.cos(math.pi * step / 4) for step in range(4)])


@pytest.mark.parametrize("schedule", ["linear", "cosine", "plateau"])
def test_warmup_rises_to_the_highest_rate_and_then_hands_over(schedule: str) -> None:
    config = TrainingConfig(schedule=schedule, learning_rate=1.0, warmup=4)  # type: ignore[arg-type]
    found = rates(config, 10)
    assert found[:4] == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert found[4] == 1.0
    without = TrainingConfig(schedule=schedule, learning_rate=1.0)  # type: ignore[arg-type]
    assert found[4:] == pytest.approx(rates(without, 6))


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_no_rate_is_negative_even_where_warmup_is_longer_than_the_run(schedule: str) -> None:
    config = TrainingConfig(schedule=schedule, warmup=20)  # type: ignore[arg-type]
    assert all(rate > 0 for rate in rates(config, 10))
    assert all(rate >= 0 for rate in rates(config, 30))


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_a_run_that_is_shorter_than_its_warmup_falls_for_half_of_its_steps(schedule: str) -> None:
    config = TrainingConfig(schedule=schedule, learning_rate=1.0, warmup=200)  # type: ignore[arg-type]
    found = rates(config, 10)
    assert found[4] == max(found) == 1.0
    assert found[5:] == sorted(found[5:], reverse=True)
    assert found[-1] < 0.3
