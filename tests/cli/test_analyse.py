"""`pointree analyse`: tables, JSON, page and plots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointree.cli.analyse import name_systems
from pointree.errors import UsageError

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


def test_names_of_systems() -> None:
    assert name_systems(["a=x/t.conllu", "y/u.conllu"]) == {"a": Path("x/t.conllu"), "u": Path("y/u.conllu")}
    assert list(name_systems(["x/test.conllu", "y/test.conllu"])) == ["x/test", "y/test"]
    with pytest.raises(UsageError, match=r"two systems are called a: x and y; write NAME=FILE"):
        name_systems(["a=x", "a=y"])
    with pytest.raises(UsageError, match=r"two systems are called x: x.conllu and x.conllu; write NAME=FILE"):
        name_systems(["x.conllu", "x.conllu"])


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
