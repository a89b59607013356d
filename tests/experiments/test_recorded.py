"""The tables of the experiments' documents say what the recorded results say, and leave none out."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pointree.errors import ConfigError
from pointree.experiments import identity
from pointree.experiments.cell import Cell
from pointree.experiments.grid import load_grid
from pointree.experiments.paper import paper_score
from pointree.experiments.report import make_report
from pointree.experiments.runner import Runner, State

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NOTES = EXPERIMENTS.parent / "docs" / "notes"
MODELS = ("english", "languages")
"""Results of models that are released, which have tables of their own."""
RESULTS = sorted(path for path in (EXPERIMENTS / "results").iterdir() if path.name not in ("earlier", *MODELS))
TABLES = runpy.run_path(str(EXPERIMENTS / "tables.py"))
NEEDS_DATA = "table-6"
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
    paths = [path.relative_to(EXPERIMENTS) for path in (EXPERIMENTS / "results").rglob("*.json")]
    recorded = {str(path) for path in paths if path.parts[1] not in MODELS}
    assert recorded == ROWS.keys()


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_the_grid_makes_the_results_that_stand_beside_it(folder: Path) -> None:
    grid = load_grid(EXPERIMENTS / f"{folder.name}.toml", {}, need_files=False)
    report = make_report(grid, folder)
    assert report.results.keys() == {path.stem for path in folder.glob("*.json")}
    assert [note for note in report.notes if not note.startswith("Not run ")] == []


def test_a_result_that_used_a_removed_setting_is_still_reported(tmp_path: Path) -> None:
    text = (EXPERIMENTS / "en_ewt.toml").read_text(encoding="utf-8")
    for now, then in (
        ("epochs = 32", "epochs = 24"),
        ("embedding_dropout_rise = 12", "embedding_dropout_rise = 2\nembedding_dropout_stage = 9"),
        ("[treebanks.en_ewt]", "[set.embeddings]\ndropout = 0.3\n[treebanks.en_ewt]"),
    ):
        assert now in text
        text = text.replace(now, then)
    path, results = tmp_path / "old.toml", EXPERIMENTS / "results" / "earlier" / "rising-embedding-dropout"
    path.write_text(text, encoding="utf-8")
    report = make_report(load_grid(path, {}, need_files=False), results)
    assert report.results.keys() == {"en_ewt.l2r-simple-gate1.seed1"}
    with pytest.raises(ConfigError, match=r"set: training\.embedding_dropout_stage was removed in 0\.2, found 9"):
        load_grid(path, {})
    path.write_text(text.replace("embedding_dropout_stage = 9", ""), encoding="utf-8")
    [left_out, _not_run] = make_report(load_grid(path, {}, need_files=False), results).notes
    assert left_out.endswith("it was made with other settings: training.embedding_dropout_stage was 9, is 1")


@pytest.mark.parametrize("path", [path for folder in RESULTS for path in folder.glob("*.json")], ids=lambda p: p.stem)
def test_a_recorded_result_is_done_whatever_sources_made_it(path: Path, tmp_path: Path) -> None:
    """The checksums of its treebank are taken from the record."""
    grid = load_grid(EXPERIMENTS / f"{path.parent.name}.toml", {}, need_files=False)
    [cell] = [cell for cell in grid.cells if cell.name == path.stem]
    wanted = [other for other in grid.cells if other.name in (cell.name, *cell.needs)]
    known = recorded_checksums(path.parent, wanted)
    notes: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "checksum", lambda file: known[file.name])
        runner = Runner(wanted, tmp_path, path.parent, note=notes.append)
    runner.survey()
    assert runner.statuses[cell.name].state is State.FINISHED
    made = json.loads(path.read_text(encoding="utf-8"))["code"]
    told = any(note.startswith(f"{cell.name}: finished, with other sources of pointree") for note in notes)
    assert told is (made["sources"] != identity.code_state()["sources"])


def recorded_checksums(folder: Path, cells: Sequence[Cell]) -> dict[str, str]:
    """The checksums of the files of some cells, by the names of the files."""
    found: dict[str, str] = {}
    for cell in cells:
        data = json.loads((folder / f"{cell.name}.json").read_text(encoding="utf-8"))["identity"]["data"]
        found |= {file.path.name: data[role] for role, file in cell.treebank.files.items() if role in data}
    return found


@pytest.mark.parametrize("link", ROWS)
def test_a_row_has_the_figures_of_its_result(link: str) -> None:
    result: dict[str, Any] = json.loads((EXPERIMENTS / link).read_text(encoding="utf-8"))
    both = ("uas", "las_subtypes", "las")
    names = {"dev": both, "test": (*both, "clas")}
    scores = [f"{result[split][name]:.2f}" if split in result else "" for split in names for name in names[split]]
    training = ["", ""]
    if "epochs" in result:
        training = [f"{result['best_epoch']} of {result['epochs']}", f"{result['seconds']['train'] / 60:.0f}"]
    paper = paper_score("ud", "test", result["system"], result["treebank"][:2], "las")
    beside = "" if paper is None else f"{paper.mean:.2f} ± {paper.sd:.2f}"
    assert ROWS[link] == [*scores, *training, beside]
    assert Path(link).name == f"{result['cell']}.json"


@pytest.mark.parametrize("path", TABLES["DOCUMENTS"], ids=lambda path: path.stem)
def test_tables_are_those_of_the_recorded_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tables = {name: make for name, make in TABLES["TABLES"].items() if name != NEEDS_DATA}
    assert TABLES["BLOCK"].findall(text), "every document has a table"
    assert TABLES["updated"](text, tables) == text, "run python experiments/tables.py"


def test_the_table_of_dependents_is_that_of_the_treebanks(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UD", str(shared_data / "ud-2.6"))
    text = (EXPERIMENTS / "README.md").read_text(encoding="utf-8")
    assert TABLES["updated"](text, {NEEDS_DATA: TABLES["TABLES"][NEEDS_DATA]}) == text


def test_what_the_documents_claim_holds_with_whole_labels() -> None:
    """How far each system is from the paper, seed 1: what README.md and results.md say in words."""
    found = {}
    for name in ("tr_imst", "ko_gsd", "en_ewt"):
        report = make_report(
            load_grid(EXPERIMENTS / f"{name}.toml", {}, need_files=False), EXPERIMENTS / "results" / name
        )
        for entry in report.entries:
            if entry.metric == "las_subtypes" and 1 in entry.values and entry.paper is not None:
                found[entry.split, entry.treebank, entry.system] = round(entry.values[1] - entry.paper.mean, 2)
    systems = ("l2r-sequential", "l2r-simple-gate1", "r2l-simple-gate1", "oi-simple-gate1")
    assert [found["test", "tr_imst", system] for system in systems] == [1.02, 0.92, 0.06, 0.78]
    assert [found["dev", "tr_imst", system] for system in systems] == [0.48, -0.65, 0.01, 0.03]
    others = [found[split, name, systems[1]] for name in ("ko_gsd", "en_ewt") for split in ("test", "dev")]
    assert others == [-0.10, 0.10, 0.11, -0.54]


@pytest.mark.parametrize("path", sorted((EXPERIMENTS / "results").rglob("outcomes/*.txt")), ids=lambda path: path.stem)
def test_outcomes_have_the_scores_of_their_result(path: Path) -> None:
    cell, _, split = path.stem.rpartition(".")
    result = json.loads((path.parents[1] / f"{cell}.json").read_text(encoding="utf-8"))
    digits = path.read_text(encoding="ascii").replace("\n", "")
    for metric, least in (("uas", "1"), ("las", "2"), ("las_subtypes", "3")):
        right = 100 * sum(digit >= least for digit in digits) / len(digits)
        assert right == pytest.approx(result[split][metric], abs=0.001)
