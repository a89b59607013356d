"""A drawing for the terminal: one word a line, its arcs on the left, then its form, UPOS and DEPREL.

       ╭─►╭───── John      PROPN  nsubj
       │  │  ╭─► and       CCONJ  cc
       │  ╰─►╰── Mary      PROPN  conj
    ●─►├──────── play      VERB   root
       ├───────► tennis    NOUN   obj
       ╰───────► together  ADV    advmod

The word with the mark ● hangs on ROOT. An arc that is not drawn, because the tree is too deep for a terminal
or is none, has the number of its head in that place, and the words are then numbered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, groupby
from operator import itemgetter
from typing import TextIO

from pointree.rendering.display import columns, fit
from pointree.rendering.trunks import Trunk, place_trunks
from pointree.treebank.sentence import Sentence

__all__ = ["draw_tree", "write"]

MAX_LEVEL = 20  # the deepest tree of the UD development sets that we looked at needs 16
AIRY_LEVELS = 8  # up to here a level is three cells wide, beyond it two
MAX_FORM = 40
MAX_TAG = 24

LINE, TRUNK, CROSSING = "─", "│", "┼"
ARROW = "►"
ROOT_MARK = "●"

PLAIN, BOLD, FAINT = 0, 1, 2
PALETTE = (36, 35, 32, 33)  # cyan, magenta, green, yellow: readable on light and on dark

Piece = tuple[str, int]  # text and its style, the number of an ANSI SGR sequence


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write the drawing of each sentence, with a blank line after it."""
    for sentence in sentences:
        stream.write(draw_tree(sentence, colour=colour) + "\n")


def draw_tree(sentence: Sentence, *, colour: bool = False) -> str:
    """The drawing of a sentence, one line a word, each with its line end."""
    words, heads = sentence.words, sentence.heads
    if not words:
        return ""
    trunks = place_trunks(heads, MAX_LEVEL)
    numbered = any(head and head not in trunks for head in heads)
    rows = [
        (
            str(number) if numbered else "",
            fit(word.form, MAX_FORM),
            fit(word.upos, MAX_TAG),
            fit(word.deprel, MAX_TAG),
        )
        for number, word in enumerate(words, 1)
    ]
    shown = [any(cell not in ("", "_") for cell in column) for column in zip(*rows, strict=True)]
    shown[1] = True
    lines = []
    for word, arcs, cells in zip(words, _draw_arcs(heads, trunks), columns(rows), strict=True):
        styles = (FAINT, BOLD if word.head == 0 else PLAIN, FAINT, _style(word.head, trunks))
        pieces = [(cell + "  ", style) for cell, style in zip(cells, styles, strict=True)]
        lines.append(_join([*arcs, *compress(pieces, shown)], colour) + "\n")
    return "".join(lines)


def _draw_arcs(heads: Sequence[int | None], trunks: dict[int, Trunk]) -> Iterator[list[Piece]]:
    """The lines in front of each word, all equally wide."""
    n_levels = max((trunk.level for trunk in trunks.values()), default=0)
    pitch = 3 if n_levels <= AIRY_LEVELS else 2
    labels = [_label(head, trunks) for head in heads]
    margin = max(map(len, labels))
    left = margin + 2 if margin else 0
    width = left + n_levels * pitch + (pitch == 2)
    column = {head: left + (n_levels - trunk.level) * pitch for head, trunk in trunks.items()}
    standing: list[Trunk] = []
    beginning: dict[int, list[Trunk]] = {}
    for trunk in trunks.values():
        beginning.setdefault(trunk.top, []).append(trunk)

    for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
        row = [(" ", PLAIN)] * (width + 1 if width else 0)
        standing += beginning.get(word, ())
        for trunk in standing:
            row[column[trunk.head]] = (TRUNK, _style(trunk.head, trunks))
        if word in trunks:
            _branch(row, column[word], width, _joint(trunks[word], word) + LINE, _style(word, trunks))
        arrival = column.get(word, width)
        if label:
            row[margin - len(label) : margin] = [(character, _style(head, trunks)) for character in label]
            _branch(row, margin, arrival, LINE + ARROW, _style(head, trunks))
        elif head in trunks:
            _branch(row, column[head], arrival, _joint(trunks[head], word) + ARROW, _style(head, trunks))
        yield row
        standing = [trunk for trunk in standing if trunk.bottom > word]


def _branch(row: list[Piece], start: int, end: int, ends: str, style: int) -> None:
    """Draw a horizontal line over the cells from `start` up to `end`, with its first and last character."""
    row[start] = (ends[0], style)
    for position in range(start + 1, end - 1):
        row[position] = (LINE if row[position][0] == " " else CROSSING, style)
    row[end - 1] = (ends[1], style)


def _joint(trunk: Trunk, row: int) -> str:
    """The character where a branch leaves a trunk."""
    return "╭" if row == trunk.top else "╰" if row == trunk.bottom else "├"


def _label(head: int | None, trunks: dict[int, Trunk]) -> str:
    """What stands for a head that has no trunk: the mark of ROOT, or a number."""
    if head is None or head in trunks:
        return ""
    return ROOT_MARK if head == 0 else str(head)


def _style(head: int | None, trunks: dict[int, Trunk]) -> int:
    """The colour of a head's arcs: by level, so that neighbouring trunks differ."""
    return PALETTE[trunks[head].level % len(PALETTE)] if head in trunks else BOLD


def _join(pieces: Iterable[Piece], colour: bool) -> str:
    """A line without trailing spaces, with an ANSI sequence around each run of one style if asked."""
    if not colour:
        return "".join(text for text, _ in pieces).rstrip(" ")
    runs = []
    for style, run in groupby(pieces, key=itemgetter(1)):
        text = "".join(text for text, _ in run)
        runs.append(text if style == PLAIN or text.isspace() else f"\x1b[{style}m{text}\x1b[0m")
    return "".join(runs).rstrip(" ")
