"""The paper's figures."""

from __future__ import annotations

import pytest

from pointree.experiments.paper import PAPER_TABLES, PaperScore, paper_columns, paper_score
from pointree.experiments.systems import SYSTEMS


def test_figures_are_found_by_system_and_treebank() -> None:
    assert paper_score("ud", "dev", "l2r-sequential", "en", "las") == PaperScore(90.29, None)
    assert paper_score("ud", "dev", "l2r-sequential", "xx", "las") is None
    assert paper_score("ud", "dev", "no-such-system", "en", "las") is None
    assert paper_score("no-such-table", "dev", "l2r-sequential", "en", "las") is None


@pytest.mark.parametrize("table", PAPER_TABLES)
def test_each_table_has_test_figures_with_deviations(table: str) -> None:
    found = [
        score
        for system in SYSTEMS
        for column in paper_columns(table)
        for metric in ("las", "no_punct.las")
        if (score := paper_score(table, "test", system, column, metric)) is not None
    ]
    assert found
    assert all(50 < score.mean < 100 and score.sd is not None and 0 <= score.sd < 2 for score in found)
