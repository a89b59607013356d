"""Drawings as they were when they were last looked at.

To renew one after a change that is meant, delete its file under `expected/` and run this test: it writes the
new drawing and fails, so that somebody looks at it before it is committed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.rendering import render
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence

from .samples import SAMPLES

EXPECTED = Path(__file__).parent / "expected"
DRAWINGS = [
    "john.tree", "john.svg", "john.tikz", "john.json", "john.table",
    "hearing.tree", "hearing.svg",
    "hebrew.tree", "hebrew.svg", "hebrew.table",
    "chinese.tree", "chinese.svg",
    "odd.tree", "odd.svg", "odd.tikz", "odd.table",
    "deep.tree",
    "rich.json",
]  # fmt: skip


def compare(file: str, sentences: Sentence | list[Sentence]) -> None:
    path = EXPECTED / file
    drawing = render(sentences, path.suffix[1:])
    if not path.exists():
        path.write_text(drawing, encoding="utf-8", newline="")
        pytest.fail(f"{file} was not there: it is written, look at it")
    assert drawing == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", DRAWINGS)
def test_samples(file: str) -> None:
    compare(file, SAMPLES[file.split(".")[0]])


def test_english(ewt: Path) -> None:
    compare("ewt.tree", sorted(read_conllu(ewt), key=len)[-3:])
