"""The paper's curves as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.analysis.attachments import read_attachments
from pointree.analysis.compare import Analysis, analyse_attachments
from pointree.errors import OutputError, UsageError

from ..helpers import random_sentences

pytest.importorskip("matplotlib", reason="drawing plots needs the extra pointree[plots]")

from pointree.analysis.plots import curves, save_figure


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    gold = random_sentences([4, 30, 45], seed=1)
    return analyse_attachments(read_attachments(gold, [gold, gold], ["a", "b"]), "g", resamples=5)


def test_four_panels_with_a_curve_for_each_system(analysis: Analysis) -> None:
    axes = curves(analysis).axes
    assert [(ax.get_ylabel(), ax.get_xlabel()) for ax in axes] == [
        ("LAS", "Sentence length"),
        ("LAS", "Word position"),
        ("UAS", "Sentence length"),
        ("UAS", "Word position"),
    ]
    assert all([line.get_label() for line in ax.lines] == ["a", "b"] for ax in axes)


@pytest.mark.slow
def test_files_by_suffix_are_repeatable(analysis: Analysis, tmp_path: Path) -> None:
    for suffix, magic in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        first, second = tmp_path / f"1{suffix}", tmp_path / f"2{suffix}"
        save_figure(curves(analysis), first)
        save_figure(curves(analysis), second)
        assert first.read_bytes().startswith(magic)
        assert first.read_bytes() == second.read_bytes()


def test_faults_of_the_user(analysis: Analysis, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"plot\.gif: expected a file ending in \.svg, \.png, \.pdf, found \.gif"):
        save_figure(curves(analysis), Path("plot.gif"))
    with pytest.raises(OutputError, match="cannot be written"):
        save_figure(curves(analysis), tmp_path / "none" / "plot.svg")
