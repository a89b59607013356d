"""Tokenised text: one sentence a line."""

from __future__ import annotations

import io

import pytest

from pointree.errors import FormatError
from pointree.treebank.plain import read_words


def read(data: bytes, **options: object) -> list[list[str]]:
    return [sentence.forms for sentence in read_words(io.BytesIO(data), name="x.txt", **options)]  # type: ignore[arg-type]


def test_words_are_separated_by_spaces() -> None:
    text = "\ufeffA  dog\tbarks \r\n\n  \n10\u00a0000 a\u2028b # c"
    assert read(text.encode()) == [["A", "dog", "barks"], ["10\u00a0000", "a\u2028b", "#", "c"]]


def test_text_streams() -> None:
    assert [sentence.forms for sentence in read_words(io.StringIO("a b\nc"))] == [["a", "b"], ["c"]]


def test_bytes_that_are_not_utf8() -> None:
    with pytest.raises(FormatError, match=r"^x\.txt:2: byte 0xff at column 3 is not UTF-8$"):
        read(b"a\nb \xff\n")


def test_an_invalid_line_is_skipped() -> None:
    errors: list[FormatError] = []
    assert read(b"a\nb \xff\nc\n", on_invalid=errors.append) == [["a"], ["c"]]
    assert [error.line for error in errors] == [2]


def test_a_lone_carriage_return_is_told_with_its_line() -> None:
    with pytest.raises(FormatError, match=r"^x\.txt:2: expected lines that end in LF or CRLF, found a lone CR$"):
        read(b"a\r\nb c\rd\n")
    errors: list[FormatError] = []
    assert read(b"a\rb\nc\n", on_invalid=errors.append) == [["c"]]
