"""Rules of fields: what they accept and how they say it."""

from __future__ import annotations

import tomllib
from typing import Literal

import pytest

from pointree.config.rules import as_toml, choice, flag, number, share, text, whole, wholes


@pytest.mark.parametrize(
    ("metadata", "good", "bad"),
    [
        (whole("A size."), [1, 10**6], [0, -1, 1.0, "1", True, None]),
        (whole("A window.", (">=", 1), odd=True), [1, 3], [0, 2, -1]),
        (
            number("A rate.", (">", 0)),
            [1, 0.5, 1e300],
            [0, 0.0, float("nan"), float("inf"), False, "1", 10**400],
        ),
        (share("A chance."), [0, 0.999], [1, 1.0, -0.1]),
        (choice(Literal["a", "b"], "A name."), ["a", "b"], ["c", "", 1, None]),
        (text("A place."), ["", "a b"], [1, None, ["a"]]),
        (flag("A switch."), [True, False], [0, 1, "true", None]),
        (wholes("Layers."), [[1], [-1, 2], (3,)], [[], [1.0], [True], ["1"], 1, "1"]),
    ],
)
def test_accepts(metadata: dict, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if not metadata["rule"].accepts(value)] == []
    assert [value for value in bad if metadata["rule"].accepts(value)] == []


def test_expectations_read_as_english() -> None:
    assert whole("")["rule"].expectation == "a whole number >= 1"
    assert whole("", (">=", 1), odd=True)["rule"].expectation == "an odd whole number >= 1"
    assert share("")["rule"].expectation == "a number >= 0 and < 1"
    assert choice(Literal["a", "b"], "")["rule"].expectation == "one of a, b"
    assert text("")["rule"].expectation == "a text"
    assert flag("")["rule"].expectation == "true or false"
    assert wholes("")["rule"].expectation == "a list of whole numbers"


@pytest.mark.parametrize("value", [True, [1, -2], ["a"], 3, 1e-05, 0.1, 5.0, "gate1", 'say "no"\n'])
def test_values_are_written_as_toml(value: object) -> None:
    assert tomllib.loads(f"value = {as_toml(value)}") == {"value": value}
