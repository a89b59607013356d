"""Cleaning: what each character becomes, and where it stands in the document."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.text.cleaning import MAX_MARKS, CleanText, clean


def cleaned(text: str, size: int = 1 << 16) -> CleanText:
    found = list(clean(text[start : start + size] for start in range(0, len(text), size)))
    whole = found[0]
    for part in found[1:]:
        whole += part
    return whole


@pytest.mark.parametrize(
    ("text", "clean_text", "ranges"),
    [
        ("\ufeffa\ufeff", "a\ufeff", [(1, 2), (2, 3)]),
        ("a\r\nb\rc", "a\nb\nc", [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]),
        ("\u2028\u2029\x00", "\n\n\n ", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        ("e\u0301x", "\u00e9x", [(0, 2), (2, 3)]),
        ("\u1112\u1161\u11ab", "\ud55c", [(0, 3)]),
        ("\u2126\ufffd", "\u03a9?", [(0, 1), (1, 2)]),
        ("a\u0327\u0301b", "\u00e1\u0327b", [(0, 3), (0, 3), (3, 4)]),
        ("q\u0344y", "q\u0308\u0301y", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        ("a" + "\u0323" * 35 + "b", "\u1ea1" + "\u0323" * 29 + "b", None),
    ],
)
def test_every_character_has_its_range(text: str, clean_text: str, ranges: list[tuple[int, int]] | None) -> None:
    for size in (1, 2, 100):
        found = cleaned(text, size)
        assert found.text == clean_text
        assert ranges is None or list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == ranges
    assert found.ends[-1] == len(text)


marks = st.text("ae =\u1112\u1161\u11ab\uac00\u0301\u0323\u0327\u0338\u0344\u0f73\u2126\u0b47\u0b3e", max_size=12)


@given(st.one_of(marks, st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)))
def test_letters_are_composed_and_ranges_rise(text: str) -> None:
    text = "x" + text.replace("\ufffd", "").replace("\u2028", "").replace("\u2029", "")
    found = cleaned(text)
    assert found.text == unicodedata.normalize("NFC", text)
    assert found.starts[0] == 0
    assert found.ends[-1] == len(text)
    shared = found.inseparable()
    for place in range(1, len(found)):
        same = found.starts[place - 1] == found.starts[place] and found.ends[place - 1] == found.ends[place]
        assert same == shared[place]
        assert same or found.ends[place - 1] == found.starts[place]


@given(marks, st.integers(1, 5))
def test_blocks_make_no_difference(text: str, size: int) -> None:
    text = "\r\n" + text + "\r"
    whole, parts = cleaned(text), cleaned(text, size)
    assert (whole.text, whole.starts.tolist(), whole.ends.tolist()) == (
        parts.text,
        parts.starts.tolist(),
        parts.ends.tolist(),
    )


def test_a_million_marks_are_soon_dropped() -> None:
    found = cleaned("a" + "\u0301\u0323" * 500_000 + "b")
    assert len(found) <= MAX_MARKS + 2
    assert found.text.endswith("b")
    assert found.span(0, len(found)) == (0, 1_000_002)
