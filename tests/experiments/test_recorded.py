"""The tables of the experiments' documents say what the recorded results say, and leave none out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pointree.experiments.grid import load_grid
from pointree.experiments.paper import paper_score
from pointree.experiments.report import make_report

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NOTES = EXPERIMENTS.parent / "docs" / "notes"
RESULTS = sorted(path for path in (EXPERIMENTS / "results").iterdir() if path.name != "earlier")
ROWS = {
    link: [cell.strip(" *") for cell in cells.split("|")]
    for document in ("results.md", "ablations.md")
    for link, cells in re.findall(
        r"^\| \[.+\]\(\.\./\.\./experiments/(results/.+\.json)\) \|(.*)\|$",
        (NOTES / document).read_text(encoding="utf-8"),
        re.M,
    )
}


def test_every_result_is_in_a_table() -> None:
    recorded = {str(path.relative_to(EXPERIMENTS)) for path in (EXPERIMENTS / "results").rglob("*.json")}
    assert recorded == ROWS.keys()


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_the_grid_makes_the_results_that_stand_beside_it(folder: Path) -> None:
    grid = load_grid(EXPERIMENTS / f"{folder.name}.toml", {}, need_files=False)
    report = make_report(grid, folder)
    assert report.results.keys() == {path.stem for path in folder.glob("*.json")}
    assert [note for note in report.notes if not note.startswith("Not run ")] == []


@pytest.mark.parametrize("link", ROWS)
def test_a_row_has_the_figures_of_its_result(link: str) -> None:
    result: dict[str, Any] = json.loads((EXPERIMENTS / link).read_text(encoding="utf-8"))
    names = {"dev": ("uas", "las"), "test": ("uas", "las", "las_subtypes", "clas")}
    scores = [f"{result[split][name]:.2f}" if split in result else "" for split in names for name in names[split]]
    training = ["", ""]
    if "epochs" in result:
        training = [f"{result['best_epoch']} of {result['epochs']}", f"{result['seconds']['train'] / 60:.0f}"]
    paper = paper_score("ud", "test", result["system"], result["treebank"][:2], "las")
    beside = "" if paper is None else f"{paper.mean:.2f} ± {paper.sd:.2f}"
    assert ROWS[link] == [*scores, *training, beside]
    assert Path(link).name == f"{result['cell']}.json"
