"""The model card: what training writes, and the facts that are found in a card."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pointree.config import Config
from pointree.models.card import CardFacts, model_card, read_card
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
    assert (
        "after epoch 2 of 9: UAS 80.50, LAS 71.25 on dev.conllu, gold words and tags (with subtypes of labels: 70.12)"
        in text
    )
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
    assert " on dev.conllu, gold words and tags (" in card()
    text = model_card(Config(), PROGRESS, {}, (1, 2), "pointree train", predicted_tags=True)
    assert " on dev, gold words, predicted tags (" in text


def test_a_card_of_a_model_that_predicts_tags_tells_how_well() -> None:
    config = Config.from_dict({"embeddings": {"tag": "none"}, "heads": {"upos": True, "xpos": True, "lemma": True}})
    scores = {"dev_upos": 93.5, "dev_lemma": 95.0}  # the treebank had no XPOS
    tagged = replace(PROGRESS, metrics=[{**metrics, **scores} for metrics in PROGRESS.metrics])
    text = model_card(config, tagged, {}, (1, 2), "pointree train")
    assert "tags: none are read, UPOS, LEMMA are predicted." in text
    assert " on dev, gold words (" in text
    assert "labels: 70.12), UPOS 93.50, LEMMA 95.00." in text


@pytest.mark.parametrize(
    ("card", "las"),
    [
        ("greedy: UAS 91.02, LAS 88.90 (with subtypes: 88.01)", 88.9),
        ("CLAS 84.20 and LAS: 87.1", 87.1),
        ("| LAS | 87.10 |", 87.1),
        ("**LAS** 87.10", 87.1),
        ("LAS 100.0", 100.0),
        ("LAS on en_ewt 2.6 is good", None),
        ("no_punct_las 3.1, LASER 44.1", None),
        ("", None),
    ],
)
def test_las_of_a_card(tmp_path: Path, card: str, las: float | None) -> None:
    (tmp_path / "README.md").write_text(card)
    assert read_card(tmp_path).las == las


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlicense: cc-by-sa-4.0\n---\n# A model", "cc-by-sa-4.0"),
        ("Licence: CC BY-SA 4.0.", "CC BY-SA 4.0"),
        ("- **Licence**: [CC BY-SA 4.0](https://example.org), as the treebank", "CC BY-SA 4.0"),
        ("| licence | CC BY-SA 4.0 |", "CC BY-SA 4.0"),
        ("# M\n\n## Licence\n\nCC BY-SA 4.0 (the treebank's). More.\n", "CC BY-SA 4.0"),
        ("The licence of the model follows from that of these data.", None),
    ],
)
def test_licence_of_a_card(tmp_path: Path, card: str, licence: str | None) -> None:
    (tmp_path / "README.md").write_text(card)
    assert read_card(tmp_path).licence == licence


def test_a_missing_or_odd_card_says_nothing(tmp_path: Path) -> None:
    assert read_card(tmp_path) == CardFacts()
    (tmp_path / "README.md").write_bytes(b"\xff\xfe LAS")
    assert read_card(tmp_path) == CardFacts()


@pytest.mark.parametrize(
    ("card", "las_on"),
    [
        (
            "LAS 87.63 on English-EWT 2.6 test, gold tokens, predicted tags.",
            "English-EWT 2.6 test, gold tokens, predicted tags",
        ),
        ("UAS 91.02, LAS 88.90 on dev.conllu, gold words (with subtypes: 88.01)", "dev.conllu, gold words"),
        ("**LAS 88.90** on `tr_imst`; more", "tr_imst"),
        ("LAS 88.90 on [IMST](https://example.org) 2.6. More.", "IMST 2.6"),
        ("On dev, gold words and tags, greedy, after epoch 2 of 9: UAS 91.02, LAS 88.90 (", "dev, gold words and tags"),
        ("LAS 88.90\n\non dev", None),
        ("On dev: LAS good", None),
    ],
)
def test_what_the_las_of_a_card_was_measured_on(tmp_path: Path, card: str, las_on: str | None) -> None:
    (tmp_path / "README.md").write_text(card)
    assert read_card(tmp_path).las_on == las_on


def test_the_facts_of_a_card_of_training_are_found(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(card(), encoding="utf-8")
    assert read_card(tmp_path) == CardFacts(71.25, "dev.conllu, gold words and tags")


def test_a_card_names_the_model_from_which_the_training_started() -> None:
    assert "\nThe training started from the model en, " in model_card(Config(), PROGRESS, {}, (1, 2), "", init="en")
    assert "started from" not in card()
