"""`pointree analyse`: tables, JSON, page and plots."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_tables(run: Run, ewt: Path) -> None:
    code, out, err = run("analyse", ewt, f"one={ewt}", f"two={ewt}", "--resamples", 20)
    assert (code, err) == (0, "")
    for expected in ("Scores", "one - two", "+0.00", "1.0000", "By sentence length", "By label", "nsubj", "NOUN"):
        assert expected in out


def test_json_and_page(run: Run, ewt: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _err = run("analyse", ewt, ewt, "--json", "--html", page)
    assert code == 0
    assert json.loads(out)["scores"] == {"ewt": {"uas": 100.0, "las": 100.0}}
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_plots(run: Run, ewt: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")
    run("analyse", ewt, ewt, "--json", "--plot", tmp_path / "a.svg", "--plot", tmp_path / "a.png")
    assert {path.name for path in tmp_path.iterdir()} == {"a.svg", "a.png"}


def test_a_plot_that_cannot_be_drawn_is_told_before_anything_is_written(run: Run, ewt: Path, tmp_path: Path) -> None:
    found = run("analyse", ewt, ewt, "--html", tmp_path / "page.html", "--plot", "x.jpg")
    assert (found.code, found.err) == (
        2,
        "pointree: error: x.jpg: expected a file ending in .svg, .png, .pdf, found .jpg\n",
    )
    assert not (tmp_path / "page.html").exists()


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)


MISSING = "pointree: error: drawing plots needs an optional dependency: pip install 'pointree[plots]'\n"


@pytest.mark.usefixtures("without_matplotlib")
def test_the_page_has_its_charts_without_matplotlib(run: Run, ewt: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, _out, err = run("analyse", ewt, ewt, "--html", page)
    assert (code, err) == (0, "")
    assert page.read_text(encoding="utf-8").count('<svg class="chart"') == 6


@pytest.mark.usefixtures("without_matplotlib")
def test_plots_need_matplotlib(run: Run, ewt: Path) -> None:
    assert run("analyse", ewt, ewt, "--plot", "x.svg") == (2, "", MISSING)


@pytest.mark.usefixtures("without_matplotlib")
def test_the_page_is_written_even_where_plots_cannot_be_drawn(run: Run, ewt: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, err = run("analyse", ewt, ewt, "--html", page, "--plot", "x.svg")
    assert (code, err) == (2, MISSING)
    assert "Scores" in out
    assert page.exists()


def test_names_of_systems(run: Run, ewt: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a=b.conllu"
    odd.write_bytes(ewt.read_bytes())
    found = json.loads(run("analyse", ewt, f"named={ewt}", ewt, odd, "--json", "--resamples", 2).out)
    assert found["systems"] == ["named", "ewt", "a=b"]
    code, _out, err = run("analyse", ewt, f"x={ewt}", f"x={odd}")
    assert code == 2
    assert err == f"pointree: error: analyse: two systems are called x: {ewt} and {odd}; name them (NAME=FILE)\n"


@pytest.mark.parametrize("width", [80, 120])
def test_tables_of_many_systems_are_cut_between_systems_and_never_within(
    run: Run, ewt: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointree.cli.console._PIPE_WIDTH", width)
    names = [f"system{number}" for number in range(7)]
    _code, out, _err = run("analyse", ewt, *(f"{name}={ewt}" for name in names), "--resamples", 2)
    by_length = out.partition("By dependency length")[2].partition("By non-projective")[0]
    assert "…" not in by_length
    assert max(len(line) for line in by_length.splitlines()) <= width
    assert all(by_length.count(name) == 3 for name in names), "UAS, LAS and P of every system"
    assert by_length.count("7–10") == by_length.count("ROOT") > 1, "each part has the names of the groups"
    assert "By label" in out


def test_trees_that_are_none_are_told(run: Run, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    for path, heads in ((gold, (0, 1)), (system, (2, 1))):
        rows = [f"{n}\tw{n}\t_\tX\t_\t_\t{head}\tdep\t_\t_" for n, head in enumerate(heads, 1)]
        path.write_text("\n".join(rows) + "\n\n")
    code, _out, err = run("analyse", gold, system)
    assert code == 0
    assert err == f"pointree: warning: {system}: 1 of 1 sentences are no trees with one root\n"


def test_a_file_with_other_sentences_is_named(run: Run, ewt: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    code, _out, err = run("analyse", ewt, f"mine={tmp_path / 'empty.conllu'}")
    assert code == 2
    assert err.startswith(f"pointree: error: {tmp_path / 'empty.conllu'}: expected the ")


def test_a_missing_file(run: Run, ewt: Path, tmp_path: Path) -> None:
    code, out, err = run("analyse", ewt, tmp_path / "none.conllu")
    assert (code, out) == (2, "")
    assert err == f"pointree: error: {tmp_path}/none.conllu: no such file\n"
