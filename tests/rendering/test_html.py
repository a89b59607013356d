"""Pictures for notebooks: escaped, bounded, and without influence on the page around them."""

from __future__ import annotations

from base64 import b64decode

from pointree.rendering.html import MAX_SHOWN, draw_list, picture
from pointree.treebank.sentence import Sentence

from .samples import JOHN


def test_a_picture_is_the_svg_of_the_sentence() -> None:
    shown = picture(JOHN)
    data = shown.partition("base64,")[2].partition('"')[0]
    assert b64decode(data).decode() == JOHN._repr_svg_()


def test_text_cannot_leave_its_attribute() -> None:
    shown = picture(Sentence.from_words(['"><script>', "x"]))
    assert "<script>" not in shown
    assert 'alt="&quot;&gt;&lt;script&gt; x"' in shown


def test_a_long_list_is_cut() -> None:
    shown = draw_list([JOHN] * (MAX_SHOWN + 1_000))
    assert shown.count("<img") == MAX_SHOWN
    assert shown.endswith("<p>… and 1,000 more sentences</p>")
    assert draw_list([]) == "<p>no sentences</p>"
