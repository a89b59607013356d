from __future__ import annotations

import pytest

from pointree.errors import UsageError
from pointree.transitions import BOTTOM_UP, GoldStep, gold_steps, slots_by_step

from .trees import rebuild

# "John and Mary play tennis together", the example of the paper.
PLAY_TENNIS = [4, 3, 1, 0, 4, 4]


def test_left_to_right_on_the_example_of_the_paper() -> None:
    assert gold_steps(PLAY_TENNIS, BOTTOM_UP["left-to-right"]) == [
        GoldStep(1, 4, (0, 0, 0, 0)),
        GoldStep(2, 3, (0, 0, 0, 0)),
        GoldStep(3, 1, (2, 0, 2, 0)),
        GoldStep(4, 0, (1, 0, 1, 0)),
        GoldStep(5, 4, (0, 0, 0, 0)),
        GoldStep(6, 4, (0, 0, 0, 0)),
    ]


def test_right_to_left_on_the_example_of_the_paper() -> None:
    assert gold_steps(PLAY_TENNIS, BOTTOM_UP["right-to-left"]) == [
        GoldStep(6, 4, (0, 0, 0, 0)),
        GoldStep(5, 4, (0, 0, 0, 0)),
        GoldStep(4, 0, (0, 6, 0, 5)),
        GoldStep(3, 1, (0, 0, 0, 0)),
        GoldStep(2, 3, (0, 0, 0, 0)),
        GoldStep(1, 4, (0, 3, 0, 3)),
    ]


def test_outside_in_on_the_example_of_the_paper() -> None:
    assert gold_steps(PLAY_TENNIS, BOTTOM_UP["outside-in"]) == [
        GoldStep(1, 4, (0, 0, 0, 0)),
        GoldStep(6, 4, (0, 0, 0, 0)),
        GoldStep(2, 3, (0, 0, 0, 0)),
        GoldStep(5, 4, (0, 0, 0, 0)),
        GoldStep(3, 1, (2, 0, 2, 0)),
        GoldStep(4, 0, (1, 6, 1, 5)),
    ]


@pytest.mark.parametrize("name", BOTTOM_UP)
def test_rebuild_inverts_the_oracle(name: str) -> None:
    assert rebuild(gold_steps(PLAY_TENNIS, BOTTOM_UP[name])) == PLAY_TENNIS


@pytest.mark.parametrize("name", BOTTOM_UP)
def test_slots_by_step_are_those_of_the_gold_steps(name: str) -> None:
    steps = gold_steps(PLAY_TENNIS, BOTTOM_UP[name])
    assert slots_by_step(PLAY_TENNIS, BOTTOM_UP[name]) == [step.slots for step in steps]


def test_slots_by_step_allow_cycles() -> None:
    assert slots_by_step([2, 1, 2], BOTTOM_UP["left-to-right"]) == [(0, 0, 0, 0), (1, 0, 1, 0), (0, 0, 0, 0)]


def test_an_empty_sentence_has_no_steps() -> None:
    assert gold_steps([], BOTTOM_UP["outside-in"]) == []


def test_a_missing_head_is_refused() -> None:
    with pytest.raises(UsageError, match="word 2 has no head, expected a complete tree"):
        gold_steps([0, None], BOTTOM_UP["left-to-right"])


def test_a_cycle_is_refused() -> None:
    with pytest.raises(UsageError, match="head 1 of word 2 closes a cycle"):
        gold_steps([2, 1, 0], BOTTOM_UP["left-to-right"])
