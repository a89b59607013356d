"""What cells got right, word by word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pointree.errors import InputError
from pointree.experiments.grid import Grid
from pointree.experiments.outcomes import keep_outcomes, outcome_path, read_outcomes, word_outcomes
from pointree.experiments.runner import Runner
from pointree.treebank.sentence import Sentence


def sentence(heads: list[int], deprels: list[str]) -> Sentence:
    return Sentence.from_words(["a", "b", "c", "d"], head=heads, deprel=deprels)


def test_a_digit_says_how_much_of_a_word_is_right() -> None:
    gold = sentence([0, 1, 1, 1], ["root", "nsubj:pass", "obl:arg", "punct"])
    parsed = sentence([0, 1, 1, 3], ["root", "obj", "obl", "punct"])
    assert word_outcomes([gold], [parsed]) == ["3120"]
    with pytest.raises(InputError, match="system: expected the 1 sentences of gold, found 2"):
        word_outcomes([gold], [parsed, parsed])


def test_a_cell_that_is_run_leaves_its_outcomes(
    write_grid: Callable[..., Grid], runner: Callable[..., Runner], tmp_path: Path
) -> None:
    grid = write_grid()
    runner(grid).run()
    [cell, *_others] = grid.cells
    path = outcome_path(tmp_path / "results", cell.name, "test")
    assert path.read_text() == "3\n"
    assert keep_outcomes(cell, tmp_path / "runs", tmp_path / "results") == [], "they are there"
    path.unlink()
    assert keep_outcomes(cell, tmp_path / "runs", tmp_path / "results") == [path]
    assert keep_outcomes(cell, tmp_path / "nowhere", tmp_path / "other") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("33\n", r"expected the 2 sentences of the treebank, found 1$"),
        ("33\n3\n", r"x\.txt:2: expected 2 digits from 0 to 3, found '3'$"),
        ("33\n34\n", r"x\.txt:2: expected 2 digits from 0 to 3, found '34'$"),
    ],
)
def test_files_that_do_not_fit_the_treebank(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.txt"
    assert read_outcomes(path, [2, 2]) is None
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_outcomes(path, [2, 2])
