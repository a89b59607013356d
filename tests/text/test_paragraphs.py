"""Paragraphs of text that arrives in blocks."""

from __future__ import annotations

import pytest

from pointree.text.cleaning import clean
from pointree.text.paragraphs import paragraphs


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_blank_lines_stand_between_paragraphs(size: int) -> None:
    text = "a b\nc \n \t\n\n\nd\n\n"
    found = [""]
    for part, ends in paragraphs(clean(text[start : start + size] for start in range(0, len(text), size))):
        found[-1] += part.text
        if ends:
            found.append("")
    assert [part.strip() for part in found if part.strip()] == ["a b\nc", "d"]


def test_long_white_space_is_not_kept() -> None:
    parts = list(paragraphs(clean(["a", *[" " * 1000] * 100, "\n", *[" " * 1000] * 100, "b"])))
    assert "".join(part.text for part, _ in parts) == "a\nb"
