"""The header of a card for the Hub: licence, language and scores, from the card of the folder or given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import UsageError
from pointree.models.hub_card import CardAdditions, hub_card, model_language, scores_of_card
from pointree.models.registry import resolve_model

huggingface_hub = pytest.importorskip("huggingface_hub")


RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "results" / "english"


def header(folder: Path, **added: Any) -> dict[str, Any]:
    card = huggingface_hub.ModelCard(hub_card(folder, "name", CardAdditions(**added)))
    values: dict[str, Any] = card.data.to_dict()
    return values


def write(folder: Path, card: str) -> Path:
    (folder / "README.md").write_text(card, encoding="utf-8")
    return folder


def test_the_bundled_model() -> None:
    values = header(resolve_model("en"))
    assert (values["license"], values["language"], values["library_name"]) == ("cc-by-sa-4.0", "en", "pointree")
    [result] = values["model-index"][0]["results"]
    assert result["dataset"]["name"] == "English-EWT 2.6 test, gold tokens, tags of its own"
    recorded = json.loads((RESULTS / "en.json").read_text(encoding="utf-8"))
    assert result["metrics"] == [{"type": "las", "value": recorded["test"]["gold"]["las"], "name": "LAS"}]


def test_scores_of_a_card_that_training_wrote(tmp_path: Path) -> None:
    folder = write(
        tmp_path, "# A parser\n\nGreedy: UAS 80.10, LAS 75.05 on tr_imst-ud-dev.conllu, gold words (with …).\n"
    )
    assert scores_of_card(folder) == ({"uas": 80.10, "las": 75.05}, "tr_imst-ud-dev.conllu, gold words")
    assert model_language(folder) == "tr"


def test_given_values_come_before_those_of_the_card(tmp_path: Path) -> None:
    folder = write(tmp_path, "---\nlicense: mit\nlanguage: de\ntags:\n- mine\n---\nLAS 75.05 on dev\n")
    assert model_language(folder) == "de"
    values = header(folder, licence="Our own", language="fr", scores={"las": 1.0, "other": 2.0}, scored_on="x")
    assert (values["license"], values["license_name"], values["language"]) == ("other", "our-own", "fr")
    assert values["tags"][0] == "mine"
    [result] = values["model-index"][0]["results"]
    assert (result["dataset"]["name"], result["metrics"][0]["value"]) == ("x", 1.0)
    assert header(folder)["license"] == "mit"


def test_a_card_without_scores_or_no_card_at_all(tmp_path: Path) -> None:
    assert "model-index" not in header(tmp_path, licence="mit")
    assert model_language(tmp_path) is None
    with pytest.raises(UsageError, match="expected a licence, found none; name one, such as"):
        hub_card(tmp_path, "name", CardAdditions())
