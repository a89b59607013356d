"""Plain columns aligned for reading: number, form, lemma, UPOS, head and DEPREL of each word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from pointree.rendering.display import columns, fit
from pointree.treebank.sentence import Sentence

__all__ = ["draw_table", "write"]

HEADER = ("id", "form", "lemma", "upos", "head", "", "deprel")  # the form of the head is next to its number
MAX_CELLS = 32
GAP = "  "
BOLD, RESET = "\x1b[1m", "\x1b[0m"


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write the table of each sentence, with a blank line after it."""
    for sentence in sentences:
        stream.write(draw_table(sentence, colour=colour) + "\n")


def draw_table(sentence: Sentence, *, colour: bool = False) -> str:
    """The table of a sentence: a header, which is bold with `colour`, and one line a word."""
    rows: list[tuple[str, ...]] = [HEADER]
    names = ["ROOT", *sentence.forms]
    for number, word in enumerate(sentence.words, 1):
        head = "_" if word.head is None else str(word.head)
        name = names[word.head] if word.head is not None and word.head < len(names) else ""
        cells = (str(number), word.form, word.lemma, word.upos, head, name, word.deprel)
        rows.append(tuple(fit(cell, MAX_CELLS) for cell in cells))
    header, *lines = (GAP.join(cells).rstrip(" ") for cells in columns(rows))
    return "\n".join([f"{BOLD}{header}{RESET}" if colour else header, *lines, ""])
