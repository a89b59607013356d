"""`pointree stats`: the tables, the JSON contract, and bad files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_json_contract(run: Run, ewt: Path) -> None:
    code, out, err = run("stats", "--json", ewt, ewt)
    assert (code, err) == (0, "")
    first, second = json.loads(out)
    assert first == second
    assert list(first) == [
        "file",
        "sentences",
        "words",
        "long_pct",
        "left_pct",
        "nonprojective_pct",
        "available",
    ]
    assert (first["file"], first["sentences"]) == (str(ewt), 60)
    assert list(first["available"]) == ["left-to-right", "right-to-left", "outside-in"]
    for counts in first["available"].values():
        assert list(counts) == ["all", "longer_than_2", "longer_than_4"]


def test_tables_show_both_thresholds_and_explain_why(run: Run, ewt: Path) -> None:
    code, out, err = run("stats", ewt)
    assert (code, err) == (0, "")
    for expected in ("%long", "%left", "%non-projective", "L2R", "R2L", "O-I", ">2", ">4", "ewt.conllu"):
        assert expected in out
    erratum = out[out.index("Erratum") :].rstrip("\n")
    assert erratum.count("\n") == 1


def test_the_papers_figures_for_turkish(run: Run, shared_data: Path) -> None:
    [found] = json.loads(run("stats", "--json", shared_data / "ud-2.6/tr_imst/tr_imst-ud-dev.conllu").out)
    assert found["sentences"] == 988
    assert (found["long_pct"], found["left_pct"]) == pytest.approx((14.84, 70.69), abs=0.011)
    printed = {"left-to-right": (5.71, 1.85), "right-to-left": (3.46, 0.74), "outside-in": (5.07, 1.27)}
    for order, figures in printed.items():
        counts = found["available"][order]
        assert (counts["all"], counts["longer_than_2"]) == pytest.approx(figures, abs=0.011)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.conllu: no sentences found"),
        (b"1\ta\t_\t_\t_\t_\t9\tx\t_\t_\n\n", "bad.conllu:1: "),
        (b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "bad.conllu: sentence 1: word 1 has no HEAD"),
        (b"1\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "bad.conllu:1: "),
    ],
    ids=["empty", "head out of range", "no heads", "not UTF-8"],
)
def test_bad_files_are_named(run: Run, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(content)
    code, out, err = run("stats", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"pointree: error: {tmp_path}/{message}")
    assert err.count("\n") == 1


def test_a_missing_file_and_a_folder(run: Run, tmp_path: Path) -> None:
    assert run("stats", tmp_path / "none") == (2, "", f"pointree: error: {tmp_path}/none: no such file\n")
    assert run("stats", tmp_path).err == f"pointree: error: {tmp_path}: expected a file, found a directory\n"
