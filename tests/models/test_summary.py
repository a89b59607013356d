"""What is read of a model at a glance: the facts of cards, files that belong to it, and damaged ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.models.registry import AvailableModel
from pointree.models.summary import CardFacts, model_files, read_card, summarise

from ..helpers import tiny_parser


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


def test_files_of_training_do_not_belong_to_the_model(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path, card="A card.")
    expected = {path.name for path in tmp_path.iterdir()}
    for name in ("checkpoint.safetensors", "metrics.jsonl", "notes.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "LICENSE.txt").touch()
    (tmp_path / "more.json").mkdir()
    assert {path.name for path in model_files(tmp_path)} == expected | {"LICENSE.txt"}


def test_summaries(tmp_path: Path) -> None:
    tiny_parser().save(tmp_path / "good", card="LAS 12.34\n\nLicence: MIT\n")
    (tmp_path / "good" / "text.udpipe").write_bytes(b"12345")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.toml").write_text("[decoder]\norder = 3\n")
    good = AvailableModel("tiny", "installed", "wheel 1.0", tmp_path / "good")
    bad = AvailableModel("tiny", "bundled", "pointree", tmp_path / "bad")
    first, second = summarise([good, bad])
    assert (first.order, first.fusion, first.las, first.licence) == ("left-to-right", "simple", 12.34, "MIT")
    assert first.raw_text
    assert first.size == sum(path.stat().st_size for path in (tmp_path / "good").iterdir())
    assert (first.hidden, first.fault) == (False, None)
    assert (second.hidden, second.order, second.las, second.raw_text) == (True, None, None, False)
    assert second.fault is not None
    assert "decoder.order" in second.fault
