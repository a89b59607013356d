"""The script that compares gold history with a parser's own."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EWT = ROOT / "tests" / "fixtures" / "ewt.conllu"


@pytest.mark.slow
def test_it_prints_both_scores_of_each_model(capsys: pytest.CaptureFixture[str]) -> None:
    script = runpy.run_path(str(ROOT / "experiments" / "gold_history.py"))
    script["main"](str(EWT), "en")
    found = re.fullmatch(r"en: UAS (\d+\.\d\d) over gold trees, (\d+\.\d\d) over its own\n", capsys.readouterr().out)
    assert found is not None
    over_gold, over_own = map(float, found.groups())
    assert 70 < over_own < over_gold <= 100, "it was trained over gold trees"
