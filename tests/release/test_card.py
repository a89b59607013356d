"""The card of a released model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pointree.models.card import read_card
from pointree.release.card import release_card, score_rows
from pointree.release.recipe import LanguageRecipe
from pointree.release.scores import MEASURES

RECIPE = LanguageRecipe("sv", "Swedish", "Swedish-Talbanken", "2.6", "CC BY-SA 4.0", "{}", note="Rebuilt.")


def scores(las: float) -> dict[str, Any]:
    return {given: {**dict.fromkeys(MEASURES, 99.0), "las": las} for given in ("raw", "gold")} | {"words_per_s": 3210}


def result(**more: Any) -> dict[str, Any]:
    return {"size": 5_400_000, "dev": scores(81.0), "test": scores(82.5), **more}


def test_programs_find_score_and_licence(tmp_path: Path) -> None:
    card = release_card(RECIPE, result(), "pointree release sv --data FOLDER")
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    facts = read_card(tmp_path)
    assert (facts.las, facts.las_on) == (82.5, "Swedish-Talbanken 2.6 test, from raw text")
    assert facts.licence == "CC BY-SA 4.0"


def test_the_card_says_what_it_was_made_of() -> None:
    card = release_card(RECIPE, result(), "pointree release sv --data FOLDER")
    for part in (
        "5.4 MB",
        "3,210 words",
        "Rebuilt.",
        "pip install -c constraints.txt ./models/sv",
        "release sv --data",
    ):
        assert part in card
    assert "UDPipe" not in card


def test_the_baseline_and_published_scores_stand_in_the_table() -> None:
    published = {"raw": 89.68, "gold": 90.14, "release": "2.6"}
    baseline = {"dev": scores(70.0), "test": scores(71.0)}
    rows = list(score_rows(result(udpipe1=baseline, published=published)))
    assert len(rows) == 2 + 8 + 2
    earlier = {"raw": 78.56, "gold": 78.89, "release": "2.6"}
    rows_without_training = list(score_rows(result(published_udpipe1=earlier, published=published)))
    assert any(
        row.startswith("| UDPipe 1 (published, release 2.6), test, gold tokens |") for row in rows_without_training
    )
    assert len(rows_without_training) == 2 + 4 + 4
    assert {row.count("|") for row in rows} == {12}
    assert any(row.startswith("| UDPipe 1, test, raw text |") and " 71.00 |" in row for row in rows)
    assert any(
        row.startswith("| UDPipe 2 (published, release 2.6), test, raw text |") and "89.68" in row for row in rows
    )
