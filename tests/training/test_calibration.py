"""Fitting scales on a treebank, and measuring the error of models."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

import pointree
from pointree.evaluation import evaluate
from pointree.evaluation.calibration import Outcomes, expected_calibration_error
from pointree.models.calibration import Scale
from pointree.models.layout import CALIBRATION
from pointree.training.calibration import calibrate, fit_scale, outcomes_of

from ..helpers import COMBINATIONS, HEADS, ewt_sentences, tiny_config, tiny_parser


def drawn(scale: Scale, n: int = 20_000) -> Outcomes:
    """Words whose network says p and which are right as often as the scale says."""
    random, outcomes = Random(1), Outcomes()
    for _ in range(n):
        probability = 1 - random.random() ** 3 / 2
        outcomes.add(probability, random.random() < scale(probability))
    return outcomes


@pytest.mark.parametrize("scale", [Scale(), Scale(2.0), Scale(1.5, 0.97)])
def test_the_scale_behind_the_outcomes_is_found(scale: Scale) -> None:
    outcomes = drawn(scale)
    found = fit_scale(outcomes)
    assert found.temperature == pytest.approx(scale.temperature, rel=0.1)
    assert found.ceiling == pytest.approx(scale.ceiling, abs=0.01)
    scaled = Outcomes([found(probability) for probability in outcomes.probabilities], outcomes.right)
    assert expected_calibration_error(scaled) < 0.01


@pytest.mark.parametrize("right", [True, False])
def test_few_outcomes_of_one_kind_do_no_harm(right: bool) -> None:
    scale = fit_scale(Outcomes([1.0, 0.5, 0.0], [right] * 3))
    assert 0.25 <= scale.temperature <= 8.01
    assert 0.9 <= scale.ceiling <= 1.0


def test_a_folder_is_calibrated_in_place(tmp_path: Path) -> None:
    parser, dev = tiny_parser(tiny_config(COMBINATIONS[1], HEADS)), ewt_sentences()[:20]
    parser.save(tmp_path / "model")
    progress: list[tuple[int, int]] = []
    fitted = calibrate(tmp_path / "model", dev, on_progress=lambda *done: progress.append(done))
    assert set(fitted) == {"head", "deprel", "upos", "xpos", "feats", "lemma"}
    assert progress[-1] == (20, 20)
    assert fitted["head"].after < fitted["head"].before
    written = json.loads((tmp_path / "model" / CALIBRATION).read_text(encoding="utf-8"))
    assert written["head"]["temperature"] == fitted["head"].scale.temperature
    loaded = pointree.load(tmp_path / "model")
    assert loaded.calibration.scales["head"] == fitted["head"].scale
    again = calibrate(tmp_path / "model", dev)
    assert again == fitted, "a model that has scales already is fitted anew, from its own probabilities"
    assert outcomes_of(loaded, dev) == outcomes_of(parser, dev)


def test_evaluate_measures_it_for_models_and_files() -> None:
    gold = ewt_sentences()[:5]
    parser = tiny_parser(tiny_config(COMBINATIONS[1], HEADS))
    own = evaluate(gold, model=parser, retag=True, calibration=True)
    assert set(own.calibration) == {"head", "deprel", "upos", "xpos", "feats", "lemma"}
    assert own.to_dict()["calibration"] == own.calibration
    assert set(evaluate(gold, model=parser, calibration=True).calibration) >= {"head", "deprel"}
    parsed = parser.parse(gold, probabilities=True, retag=True)
    assert evaluate(gold, parsed, calibration=True).calibration == own.calibration
    assert "calibration" not in evaluate(gold, parsed).to_dict()
