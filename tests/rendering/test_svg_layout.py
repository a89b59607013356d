"""Words and labels do not overlap, and the lines that end at a word are in an order without crossings."""

from __future__ import annotations

from hypothesis import given

from pointree.rendering.svg_layout import LABEL_SIZE, MARGIN, WORD_SIZE, lay_out, text_width
from pointree.treebank.sentence import Sentence

from .samples import JOHN, sentences


@given(sentences())
def test_words_and_labels_have_room(sentence: Sentence) -> None:
    layout = lay_out(sentence)
    boxes = [
        (centre - text_width(form, WORD_SIZE) / 2, centre + text_width(form, WORD_SIZE) / 2)
        for form, centre in zip(layout.forms, layout.centres, strict=True)
    ]
    edges = [edge for box in boxes for edge in box]
    assert edges == sorted(edges)
    assert all(left >= MARGIN - 0.01 and right <= layout.width - MARGIN + 0.01 for left, right in boxes)
    for arc, (leaves, reaches) in zip(layout.arcs, layout.ends, strict=True):
        if arc.head:
            assert abs(leaves - reaches) > text_width(arc.deprel, LABEL_SIZE)
        assert layout.top(arc) - LABEL_SIZE >= MARGIN


def test_lines_at_a_word_are_ordered_so_that_nested_arcs_do_not_meet() -> None:
    layout = lay_out(JOHN)
    places = {(arc.head, arc.dependent): ends for arc, ends in zip(layout.arcs, layout.ends, strict=True)}
    # At "play": the arc to John on the left, that of ROOT, then the longer and the shorter one to the right.
    assert places[4, 1][0] < places[0, 4][1] < places[4, 6][0] < places[4, 5][0]
    # At "John": the arc from "play" is the longer one, so it arrives further left.
    assert places[4, 1][1] < places[1, 3][0]


def test_a_sentence_without_tags_or_heads_is_one_line_of_words() -> None:
    layout = lay_out(Sentence.from_words(["no", "heads"]))
    assert (layout.arcs, layout.tags, layout.ground) == ([], [], MARGIN)
