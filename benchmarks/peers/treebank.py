"""The treebank as every peer gets it: the same words and tags, and no trees to copy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

HEAD, DEPREL, DEPS = 6, 7, 8


def blocks(path: Path) -> Iterator[str]:
    """The sentences of a CoNLL-U file as text, each with the blank line after it."""
    lines: list[str] = []
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                lines.append(line)
            elif lines:
                yield "".join(lines) + "\n"
                lines = []
    if lines:
        yield "".join(lines) + "\n"


def word_rows(block: str) -> list[list[str]]:
    """The columns of the syntactic words of a sentence, without ranges and empty nodes."""
    rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
    return [row for row in rows if row[0].isdigit()]


def words_of(path: Path) -> int:
    """How many syntactic words a file has."""
    return sum(len(word_rows(block)) for block in blocks(path))


def without_trees(block: str) -> str:
    """A sentence with `_` for HEAD, DEPREL and DEPS."""
    lines = []
    for line in block.splitlines():
        columns = line.split("\t")
        if len(columns) == 10:
            columns[HEAD] = columns[DEPREL] = columns[DEPS] = "_"
        lines.append("\t".join(columns))
    return "\n".join(lines) + "\n\n"


def write_blind(source: Path, target: Path, limit: int | None = None) -> None:
    """Copy a file, or its first ``limit`` sentences, without the trees."""
    with open(target, "w", encoding="utf-8") as stream:
        stream.writelines(without_trees(block) for block in islice(blocks(source), limit))


def require_trees(source: Path, parsed: Path) -> None:
    """Raise an error unless the second file has a head for every word of the first."""
    expected = words_of(source)
    found = sum(row[HEAD].isdigit() for block in blocks(parsed) for row in word_rows(block))
    if found != expected:
        raise RuntimeError(f"expected heads for {expected} words, found {found}")
