"""The model card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pointree.config import Config
from pointree.training.card import model_card
from pointree.training.checkpoint import RunState
from pointree.version import __version__

PROGRESS = RunState(
    epoch=3,
    best_las=71.25,
    best_epoch=2,
    metrics=[
        {"epoch": 1, "dev_uas": 60.0, "dev_las": 50.0, "dev_las_subtypes": 49.0},
        {"epoch": 2, "dev_uas": 80.5, "dev_las": 71.25, "dev_las_subtypes": 70.125},
        {"epoch": 3, "dev_uas": 80.0, "dev_las": 70.0, "dev_las_subtypes": 69.0},
    ],
)


def card(**decoder: str) -> str:
    config = Config.from_dict({"decoder": decoder, "training": {"epochs": 9}})
    data = {
        "train": [Path("/home/somebody/train.conllu"), Path("b.conllu")],
        "dev": [Path("dev.conllu")],
        "vectors": [],
    }
    return model_card(config, PROGRESS, data, (1234, 56789), "pointree train --train train.conllu")


def test_a_card_tells_data_scores_and_command() -> None:
    text = card()
    assert f"pointree {__version__}\n" in text
    assert "- train: train.conllu\n- train: b.conllu\n- dev: dev.conllu\n" in text
    assert "somebody" not in text
    assert "vectors" not in text
    assert "1,234 sentences, 56,789 words" in text
    assert "after epoch 2 of 9: UAS 80.50, LAS 71.25 (with subtypes of labels: 70.12)" in text
    assert "```\npointree train --train train.conllu\n```" in text


def test_a_card_names_the_architecture_as_the_paper_does() -> None:
    assert "Order left-to-right, fusion l-simple, GATE1; encoder 3 × 512, decoder 512; tags: UPOS is read." in card()
    assert "fusion full, GATE2;" in card(order="outside-in", fusion="full", gate="gate2")
    assert "Order right-to-left, fusion sequential; " in card(order="right-to-left", fusion="none")


@pytest.mark.parametrize(("model", "name"), [("/home/somebody/bert", "bert"), ("owner/bert", "owner/bert")])
def test_a_card_names_an_encoder_without_its_folder_but_with_its_owner(model: str, name: str) -> None:
    config = Config.from_dict({"embeddings": {"pretrained": {"model": model}}})
    assert f"; frozen {name}" in model_card(config, PROGRESS, {}, (1, 2), "pointree train")


def test_a_card_tells_whose_tags_were_read() -> None:
    assert "On dev, gold words and tags, greedy, " in card()
    text = model_card(Config(), PROGRESS, {}, (1, 2), "pointree train", predicted_tags=True)
    assert "On dev, gold words, predicted tags, greedy, " in text


def test_a_card_of_a_model_that_predicts_tags_tells_how_well() -> None:
    config = Config.from_dict({"embeddings": {"tag": "joint"}})
    tagged = replace(PROGRESS, metrics=[{**metrics, "dev_upos": 93.5} for metrics in PROGRESS.metrics])
    text = model_card(config, tagged, {}, (1, 2), "pointree train")
    assert "tags: none are read, UPOS is predicted." in text
    assert "On dev, gold words, greedy, " in text
    assert "labels: 70.12), UPOS 93.50." in text


def test_a_card_names_the_model_from_which_the_training_started() -> None:
    assert "\nThe training started from the model en, " in model_card(Config(), PROGRESS, {}, (1, 2), "", init="en")
    assert "started from" not in card()
