"""The drawing for the terminal."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from hypothesis import given

from pointree.rendering.display import display_width
from pointree.rendering.tree import draw_tree, write
from pointree.treebank.sentence import Sentence

from .samples import DEEP, HEARING, JOHN, sentences, trees

SGR = re.compile("\x1b\\[[0-9]+m")


def read_back(drawing: str) -> list[int]:
    """Follow the lines from each arrow back to the word that they leave: the heads of a drawn tree."""
    rows = drawing.splitlines()
    heads = []
    for row, line in enumerate(rows):
        x = line.index("►") - 1
        while line[x] in "─┼":
            x -= 1
        if line[x] == "●":
            heads.append(0)
            continue
        # The trunk is at (row, x); its head is the row where its branch reaches the word without an arrow.
        top = bottom = row
        while rows[top][x] not in "╭":
            top -= 1
        while rows[bottom][x] not in "╰":
            bottom += 1
        (head,) = [
            r + 1 for r in range(top, bottom + 1) if rows[r][x] in "╭├╰" and re.match("[─┼]+ ", rows[r][x + 1 :])
        ]
        heads.append(head)
    return heads


def test_an_example() -> None:
    assert draw_tree(JOHN) == (
        "   ╭─►╭───── John      PROPN  nsubj\n"
        "   │  │  ╭─► and       CCONJ  cc\n"
        "   │  ╰─►╰── Mary      PROPN  conj\n"
        "●─►├──────── play      VERB   root\n"
        "   ├───────► tennis    NOUN   obj\n"
        "   ╰───────► together  ADV    advmod\n"
    )


def test_crossing_arcs_cross() -> None:
    assert draw_tree(HEARING).splitlines()[1:4] == [
        "   ╭─►├───── hearing    NOUN  nsubj:pass",
        "   ├──┼────► is         AUX   aux:pass",
        "●─►├──┼───── scheduled  VERB  root",
    ]


@pytest.mark.parametrize("sentence", [JOHN, HEARING])
def test_the_heads_can_be_read_from_the_drawing(sentence: Sentence) -> None:
    assert read_back(draw_tree(sentence)) == sentence.heads


@given(trees())
def test_the_heads_of_any_tree_can_be_read_from_the_drawing(heads: list[int]) -> None:
    drawing = draw_tree(Sentence.from_words(["x"] * len(heads), head=heads))
    if not re.search("[0-9]", drawing):  # a number stands for an arc that is not drawn
        assert read_back(drawing) == heads


@given(sentences())
def test_any_sentence_has_one_line_a_word_and_nothing_that_acts_on_a_terminal(sentence: Sentence) -> None:
    drawing = draw_tree(sentence)
    lines = drawing.splitlines()
    assert len(lines) == len(sentence)
    assert drawing.count("\n") == len(sentence)
    assert "\x1b" not in drawing
    assert lines == [line.rstrip(" ") for line in lines]
    assert SGR.sub("", draw_tree(sentence, colour=True)).split() == drawing.split()


@given(sentences())
def test_columns_are_aligned_in_any_sentence(sentence: Sentence) -> None:
    for word in sentence.words:
        word.upos, word.deprel = "§UPOS", "§deprel"
    lines = draw_tree(sentence).splitlines()
    starts = {tuple(display_width(part) for part in line.rsplit("§", 2)[:2]) for line in lines}
    assert len(starts) <= 1


def test_a_tree_too_deep_for_a_terminal_goes_on_at_a_number() -> None:
    lines = draw_tree(DEEP).splitlines()
    assert lines[20].startswith("22─►╰─")
    assert lines[21].endswith("► 22  w22")
    assert max(map(len, lines)) < 60


def test_heads_that_cannot_be_drawn_are_numbers() -> None:
    drawing = draw_tree(Sentence.from_words(["a", "b", "c", "d", "e"], head=[2, 1, 9, 0, 4]))
    assert drawing.splitlines() == ["2────► 1  a", "1────► 2  b", "9────► 3  c", "●─►╭── 4  d", "   ╰─► 5  e"]


def test_a_sentence_without_heads_or_words() -> None:
    assert draw_tree(Sentence.from_words(["no", "heads"])) == "no\nheads\n"
    assert draw_tree(Sentence([])) == ""


def test_colour_is_only_written_when_asked() -> None:
    coloured = draw_tree(JOHN, colour=True)
    assert "\x1b[1mplay" in coloured
    assert coloured.count("\x1b[0m") * 2 == len(SGR.findall(coloured))


@pytest.mark.slow
def test_ten_thousand_words() -> None:
    drawing = draw_tree(Sentence.from_words(["x"] * 10_000, head=[0, *range(1, 10_000)]))
    assert drawing.count("\n") == 10_000


def test_sentences_are_written_one_at_a_time() -> None:
    stream = StringIO()

    def source() -> object:
        yield JOHN
        assert stream.getvalue() == draw_tree(JOHN) + "\n"
        yield JOHN

    write(source(), stream)  # type: ignore[arg-type]
    assert stream.getvalue() == 2 * (draw_tree(JOHN) + "\n")
