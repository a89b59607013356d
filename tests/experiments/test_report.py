"""The numbers of the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pointree.experiments.grid import REPORTED_METRICS, Grid, load_grid
from pointree.experiments.paper import PaperScore, paper_score
from pointree.experiments.report import Report, make_report
from pointree.experiments.runner import Runner

from .conftest import GRID

WriteGrid = Callable[..., Grid]


def write_result(folder: Path, grid: Grid, name: str, dev: float, test: float | None = None) -> None:
    from pointree.experiments.identity import identity

    cell = next(cell for cell in grid.cells if cell.name == name)

    def block(las: float) -> dict[str, Any]:
        return {"uas": las + 5, "las": las, "las_subtypes": las - 1, "clas": las, "no_punct": {"uas": las, "las": las}}

    content: dict[str, Any] = {"dev": block(dev), "seconds": {"train": 120.0}, "best_epoch": 3, "threads": 2}
    if test is not None:
        content["test"] = block(test)
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({**content, "identity": identity(cell)}))


@pytest.fixture
def report(write_grid: WriteGrid, tmp_path: Path) -> Report:
    grid = write_grid()
    results = tmp_path / "results"
    write_result(results, grid, "tr.l2r-sequential.seed1", 64.0, 66.0)
    write_result(results, grid, "tr.l2r-sequential.seed2", 65.0, 67.0)
    write_result(results, grid, "tr.oi-simple-gate1.seed1", 65.5, 66.2)
    return make_report(grid, results)


def test_means_and_standard_deviations(report: Report) -> None:
    entry = report.entry("test", "l2r-sequential", "tr", "las")
    assert (entry.mean, entry.sd) == (66.5, pytest.approx(0.7071, abs=1e-4))
    assert entry.paper == PaperScore(66.12, 0.13)
    single = report.entry("dev", "oi-simple-gate1", "tr", "las")
    assert (single.mean, single.sd, single.paper) == (65.5, None, PaperScore(65.12, None))


def test_the_table_of_the_paper(report: Report) -> None:
    lines = report.to_markdown().splitlines()
    assert "| tran. | f | gate | tr LAS | tr LAS without subtypes |" in lines
    assert "whole labels, with their subtypes. The paper does not say which" in lines[2]
    dev = lines.index("### dev")
    assert lines[dev + 4 : dev + 6] == [
        "| L2R | - | - | 63.50 ± 0.71 (64.75) | 64.50 ± 0.71 (64.75) |",
        "| O-I | simple | GATE1 | **64.50 [1]** (65.12) | **65.50 [1]** (65.12) |",
    ]
    test = lines.index("### test")
    assert lines[test + 4 : test + 6] == [
        "| L2R | - | - | **65.50 ± 0.71** (66.12 ± 0.13) | **66.50 ± 0.71** (66.12 ± 0.13) |",
        "| O-I | simple | GATE1 | 65.20 [1] (66.60 ± 0.12) | 66.20 [1] (66.60 ± 0.12) |",
    ]
    assert "- Not run (1 of 4 cells): tr.oi-simple-gate1.seed2" in lines
    [cell] = [line for line in lines if line.startswith("| tr.l2r-sequential.seed1 ")]
    assert cell.startswith(
        "| tr.l2r-sequential.seed1 | 69.00 | 63.00 | 64.00 | 71.00 | 65.00 | 66.00 | 66.00 | 3 | 2 | `pointree"
    )
    assert cell.endswith("--only tr.l2r-sequential.seed1 --output again --results again --threads-per-job 2` |")


def test_the_seed_that_was_best_on_dev(report: Report) -> None:
    entry = report.entry("test", "l2r-sequential", "tr", "las_subtypes")
    assert (entry.best_seed, entry.best) == (2, 66.0)
    lines = report.to_markdown().splitlines()
    start = lines.index("### test, the seed that was best on dev")
    assert lines[start + 4 : start + 6] == [
        "| L2R | - | - | 66.00 (seed 2) | 67.00 (seed 2) |",
        "| O-I | simple | GATE1 | 65.20 (seed 1) | 66.20 (seed 1) |",
    ]


def test_differences_to_the_sequential_parser_are_paired_by_seed(report: Report) -> None:
    lines = report.to_markdown().splitlines()
    start = lines.index("### Difference to l2r-sequential")
    assert lines[start + 6 : start + 8] == [
        "| dev | tr | oi-simple-gate1 | +1.50 | – | 1 of 1 |",
        "| test | tr | oi-simple-gate1 | +0.20 | – | 1 of 1 |",
    ]


def test_csv(report: Report) -> None:
    lines = report.to_csv().splitlines()
    assert lines[0].endswith(",seeds,mean,sd,paper_mean,paper_sd,best_seed,best")
    assert lines[0].startswith("grid,split,system,order,fusion,gate,treebank,metric,")
    assert "grid,test,l2r-sequential,left-to-right,none,,tr,las,2,66.50,0.71,66.12,0.13,2,67.00" in lines
    assert any(line.startswith("grid,test,oi-simple-gate1,outside-in,simple,gate1,tr,las,1,") for line in lines)
    assert len(lines) == 9


def test_results_of_other_settings_are_left_out(write_grid: WriteGrid, report: Report, tmp_path: Path) -> None:
    changed = make_report(write_grid(GRID.replace("epochs = 3", "epochs = 9")), tmp_path / "results")
    assert not changed.results
    assert len(changed.notes) == 4
    assert changed.notes[3] == "Not run (1 of 4 cells): tr.oi-simple-gate1.seed2", "what is left out was run"
    assert changed.notes[0].endswith("made with other settings: training.epochs was 3, is 9")
    assert "| L2R | - | - | – (64.75) | – (64.75) |" in changed.to_markdown()


def test_a_report_needs_no_variables(write_grid: WriteGrid, tmp_path: Path) -> None:
    text = GRID + '[set.embeddings.pretrained]\nmodel = "${ENCODER}"\n'
    (tmp_path / "bert").mkdir()
    path = write_grid(text, need_files=False).path
    known = load_grid(path, {"DATA": str(tmp_path / "data"), "ENCODER": str(tmp_path / "bert")})
    write_result(tmp_path / "results", known, "tr.l2r-sequential.seed1", 64.0, 66.0)
    unknown = load_grid(path, {}, need_files=False)
    assert "tr.l2r-sequential.seed1" in make_report(unknown, tmp_path / "results").results
    other = load_grid(path, {"ENCODER": "other"}, need_files=False)
    [note, _not_run] = make_report(other, tmp_path / "results").notes
    assert note.endswith("embeddings.pretrained.model was bert, is other")


def test_results_without_vectors_are_left_out_and_other_versions_are_not(write_grid: WriteGrid, tmp_path: Path) -> None:
    grid, results = write_grid(), tmp_path / "results"
    write_result(results, grid, "tr.l2r-sequential.seed1", 64.0, 66.0)
    (tmp_path / "data" / "v.vec").write_text("1 1\na 1\n")
    with_vectors = write_grid(GRID.replace('column = "tr"', 'column = "tr"\nvectors = "${DATA}/v.vec"'))
    assert "data.vectors was nothing, is unknown" in make_report(with_vectors, results).notes[0]
    path = results / "tr.l2r-sequential.seed1.json"
    content = json.loads(path.read_text())
    content["identity"]["pointree"] = "0.0.1"
    path.write_text(json.dumps(content))
    assert make_report(grid, results).results.keys() == {"tr.l2r-sequential.seed1"}


def test_averages_over_treebanks(write_grid: WriteGrid, tmp_path: Path) -> None:
    second = GRID[GRID.index("[treebanks.tr]") :].replace("treebanks.tr", "treebanks.ko").replace('"tr"', '"ko"')
    grid = write_grid((GRID + second).replace("[1, 2]", "[1]"))
    results = tmp_path / "results"
    write_result(results, grid, "tr.l2r-sequential.seed1", 64.0, 66.0)
    write_result(results, grid, "ko.l2r-sequential.seed1", 84.0, 86.0)
    write_result(results, grid, "tr.oi-simple-gate1.seed1", 65.0, 67.0)
    text = make_report(replace(grid, metrics=("las",)), results).to_markdown()
    assert "| tran. | f | gate | tr | ko | Avg. |" in text
    average = (66.12 + 86.01) / 2
    assert f"| L2R | - | - | 66.00 (66.12 ± 0.13) | **86.00** (86.01 ± 0.06) | **76.00** ({average:.2f}) |" in text
    assert "| O-I | simple | GATE1 | **67.00** (66.60 ± 0.12) | – (86.14 ± 0.09) | – (76.37) |" in text


def test_several_metrics_make_several_columns(write_grid: WriteGrid, tmp_path: Path) -> None:
    text = 'metrics = ["no_punct.uas", "no_punct.las"]\n' + GRID.replace('"ud"', '"penn"').replace('"tr"', '"ptb"')
    grid = write_grid(text.replace("oi-simple-gate1", "l2r-adapted-gate1"))
    markdown = make_report(grid, tmp_path).to_markdown()
    assert "| tran. | f | gate | tr UAS | tr LAS |" in markdown
    assert "UAS and LAS, without punctuation" in markdown
    assert "| L2R | l-adapted | GATE1 | – (96.18 ± 0.02) | – (94.59 ± 0.03) |" in markdown


def test_columns_with_and_without_punctuation_are_told_apart(write_grid: WriteGrid, tmp_path: Path) -> None:
    markdown = make_report(write_grid('metrics = ["las", "no_punct.las"]\n' + GRID), tmp_path).to_markdown()
    assert "| tran. | f | gate | tr LAS without subtypes | tr LAS without punctuation |" in markdown
    assert "LAS without subtypes and LAS without punctuation: mean" in markdown


@pytest.mark.slow
def test_what_a_run_leaves_can_be_reported(
    write_grid: WriteGrid, runner: Callable[..., Runner], tmp_path: Path
) -> None:
    grid = write_grid(GRID + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n')
    runner(grid).run()
    report = make_report(grid, tmp_path / "results")
    assert not report.notes
    assert "| both | ensemble | - | **63.50 ± 0.71** | **64.50 ± 0.71** |" in report.to_markdown()


def test_a_plot_of_it(report: Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")
    from pointree.analysis.plots import save_figure
    from pointree.experiments.plot import report_plot

    figure = report_plot(report)
    assert [ax.get_title() for ax in figure.axes] == [
        f"tr {split} {name}" for split in ("dev", "test") for name in ("LAS", "LAS without subtypes")
    ]
    save_figure(figure, tmp_path / "report.svg")
    assert (tmp_path / "report.svg").stat().st_size > 1000


def test_panels_with_other_systems_name_them(write_grid: WriteGrid, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")
    from pointree.experiments.plot import report_plot

    text = f'metrics = {list(REPORTED_METRICS)}\ntested = ["l2r-sequential"]\n{GRID}'
    panels = report_plot(make_report(write_grid(text), tmp_path)).axes
    # Six panels of dev, five in a row: the first of test stands right of one of dev.
    assert [panel.yaxis.get_tick_params()["labelleft"] for panel in panels[4:8]] == [False, True, True, False]


def test_figures_of_the_paper() -> None:
    assert paper_score("ud", "test", "r2l-simple-gate1", "tr", "las") == PaperScore(67.05, 0.11)
    assert paper_score("ud", "dev", "oi-full-gate2", "zh", "las") == PaperScore(83.47, None)
    assert paper_score("penn-bert", "test", "r2l-simple-gate1", "ctb", "no_punct.las") == PaperScore(91.62, 0.05)
    assert paper_score("penn", "dev", "l2r-simple-gate1", "ctb", "no_punct.las") is None
    assert paper_score("ud", "test", "l2r-sequential", "de", "las") is None
    averages = {"l2r-sequential": 85.14, "l2r-simple-gate1": 85.58, "r2l-simple-gate1": 85.62, "oi-simple-gate1": 85.48}
    columns = ("ar", "en", "eu", "fi", "he", "it", "ko", "sv", "tr", "zh")
    for system, average in averages.items():
        scores = [paper_score("ud", "test", system, column, "las") for column in columns]
        assert sum(score.mean for score in scores if score) / 10 == pytest.approx(average, abs=0.011)
