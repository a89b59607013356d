"""What a cell got right, word by word: one digit a word, one line a sentence.

Models and parses stay on the machine that made them; these files travel with the results, so that anybody who has the
treebank can compare systems sentence by sentence and by what words are like. They say nothing of the words.

0  the head is wrong            2  head and label are right, but for the subtype of the label
1  the head is right            3  head and whole label are right
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointree.analysis.attachments import check_same_words
from pointree.errors import InputError
from pointree.evaluation.relations import universal_deprel
from pointree.experiments.cell import Cell
from pointree.files import atomic_write, make_folder, reading
from pointree.treebank.formats import read_all
from pointree.treebank.sentence import Sentence, Token

__all__ = ["keep_outcomes", "outcome_path", "read_outcomes", "word_outcomes"]


def outcome_path(results: Path, cell_name: str, split: str) -> Path:
    """The file of a cell's outcomes."""
    return results / "outcomes" / f"{cell_name}.{split}.txt"


def keep_outcomes(cell: Cell, runs: Path, results: Path) -> list[Path]:
    """Write the outcomes of a cell from the parses in its folder; returns the files that are new."""
    written = []
    for split in ("dev", "test") if cell.tested else ("dev",):
        parsed, path = runs / cell.name / f"{split}.conllu", outcome_path(results, cell.name, split)
        if path.exists() or not parsed.exists():
            continue
        gold = cell.treebank.files[split].path
        lines = word_outcomes(read_all(gold), read_all(parsed), (str(gold), str(parsed)))
        make_folder(path.parent)
        with atomic_write(path) as stream:
            stream.writelines(line + "\n" for line in lines)
        written.append(path)
    return written


def word_outcomes(
    gold: Sequence[Sentence], parsed: Sequence[Sentence], names: tuple[str, str] = ("gold", "system")
) -> list[str]:
    """One line of digits for each sentence; both sides must have the same words."""
    check_same_words(gold, parsed, *names)
    pairs = zip(gold, parsed, strict=True)
    return ["".join(_digit(*words) for words in zip(left.words, right.words, strict=True)) for left, right in pairs]


def _digit(gold: Token, parsed: Token) -> str:
    if gold.head != parsed.head:
        return "0"
    if gold.deprel == parsed.deprel:
        return "3"
    return "2" if universal_deprel(gold.deprel) == universal_deprel(parsed.deprel) else "1"


def read_outcomes(path: Path, lengths: Sequence[int]) -> list[NDArray[np.uint8]] | None:
    """The outcomes in a file, or None if there is no such file; sentences must have these lengths."""
    if not path.exists():
        return None
    with reading(path):
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    if len(lines) != len(lengths):
        raise InputError(f"{path}: expected the {len(lengths):,} sentences of the treebank, found {len(lines):,}")
    for number, (line, length) in enumerate(zip(lines, lengths, strict=True), 1):
        if len(line) != length or not set(line) <= set("0123"):
            raise InputError(f"{path}:{number}: expected {length} digits from 0 to 3, found {line[:40]!r}")
    return [np.frombuffer(line.encode(), dtype=np.uint8) - ord("0") for line in lines]
