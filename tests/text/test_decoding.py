"""Decoding: code point for code point, whatever the blocks; faults with their line are in test_reading."""

from __future__ import annotations

import io

import pytest

from pointree.errors import FormatError
from pointree.text.decoding import chunks, decode


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_bytes_become_the_same_text_in_blocks_of_any_size(size: int) -> None:
    text = "\ufeffé 日本\r\n😀"
    content = text.encode()
    assert "".join(decode((content[i : i + size] for i in range(0, len(content), size)), "f")) == text
    assert "".join(decode(chunks(io.BytesIO(content)), "f")) == text


def test_lines_are_counted_across_blocks() -> None:
    with pytest.raises(FormatError, match=r"^f:3: "):
        list(decode([b"a\r", b"\nb\n", b"\xff"], "f"))
