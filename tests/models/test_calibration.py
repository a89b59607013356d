"""Scales of probabilities: what they do, and files of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.errors import ModelError
from pointree.models.calibration import Calibration, Scale
from pointree.models.layout import CALIBRATION
from pointree.parser import Parser

from ..helpers import random_sentences, tiny_parser

PROBABILITIES = st.floats(0, 1)
SCALES = st.builds(Scale, st.floats(0.01, 100), st.floats(0.01, 1))


@given(SCALES, PROBABILITIES, PROBABILITIES)
def test_order_is_kept_and_the_ceiling_is_never_exceeded(scale: Scale, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert 0.0 <= scale(low) <= scale(high) <= scale.ceiling


def test_a_temperature_divides_the_logarithm_of_the_odds() -> None:
    assert Scale()(0.3) == pytest.approx(0.3)
    assert Scale(2.0)(0.9) == pytest.approx(0.75)  # odds of 9 become 3
    assert Scale(2.0, 0.8)(0.9) == pytest.approx(0.6)
    assert Scale(1.0, 0.9)(1.0) == 0.9


def test_what_has_no_scale_stays_as_it_is() -> None:
    assert Calibration({"head": Scale(2.0)})("deprel", 0.9) == 0.9


def test_a_model_keeps_its_scales_and_its_trees(tmp_path: Path) -> None:
    parser, sentences = tiny_parser(), random_sentences([5, 3])
    plain = parser.parse(sentences, probabilities=True)
    parser.calibration = Calibration({"head": Scale(3.0, 0.95)})
    parser.save(tmp_path)
    loaded = Parser.load(tmp_path)
    assert loaded.calibration == parser.calibration
    scaled = loaded.parse(sentences, probabilities=True)
    assert [each.heads for each in scaled] == [each.heads for each in plain]
    assert loaded.trees(sentences) == parser.trees(sentences)
    for before, after in zip(plain, scaled, strict=True):
        for old, new in zip(before.words, after.words, strict=True):
            assert old.head_prob is not None
            assert new.head_prob == pytest.approx(Scale(3.0, 0.95)(old.head_prob), abs=2e-3)
            assert new.deprel_prob == old.deprel_prob


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"heads": {"temperature": 1, "ceiling": 1}}, "expected a temperature and a ceiling of head, deprel"),
        ({"head": {"temperature": 1}}, "expected a temperature and a ceiling of head, deprel"),
        ({"head": {"temperature": 0, "ceiling": 1}}, "expected a temperature from 0.01 to 100.0, found 0"),
        ({"head": {"temperature": True, "ceiling": 1}}, "expected a temperature from 0.01 to 100.0, found True"),
        ({"head": {"temperature": 1, "ceiling": 1.5}}, "expected a ceiling above 0 and up to 1, found 1.5"),
    ],
)
def test_damaged_files(tmp_path: Path, content: object, problem: str) -> None:
    (tmp_path / CALIBRATION).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        Calibration.load(tmp_path / CALIBRATION)
    assert problem in str(caught.value)
