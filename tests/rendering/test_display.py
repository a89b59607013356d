"""Widths, escapes and directions of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.rendering.display import (
    columns,
    display_width,
    fit,
    is_right_to_left,
    isolate,
    printable,
    script_language,
)

from .samples import texts


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("中文", 4),
        ("한국어", 6),
        ("\u1112\u1161\u11ab", 2),  # one Korean syllable of three jamo
        ("ｱｲ", 2),
        ("e\u0301", 1),
        ("שָׁלוֹם", 4),
        ("हिन्दी", 5),
        ("क\u094d\u200dष", 2),
        ("👍", 2),
        ("👍🏽", 2),
        ("☝🏻", 2),
        ("☝️🏻", 2),
        ("👨‍👩‍👧", 2),
        ("🏳️‍🌈", 2),
        ("🤦🏽‍♂️", 2),
        ("🇩🇪", 2),
        ("🏴\U000e0067\U000e0062\U000e007f", 2),
        ("☎", 1),
        ("☎️", 2),
        ("1️⃣", 2),
        ("a\ufe0f", 1),
    ],
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\tb\nc\rd", r"a\tb\nc\rd"),
        ("\x85\xad", r"\x85\xad"),
        ("\u202eabc\u200f", r"\u202eabc\u200f"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
        ("\uffff", r"\uffff"),
        ("\u0301", "\u25cc\u0301"),
        ("\ufe0f", "\u25cc\ufe0f"),
    ],
)
def test_what_could_act_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_emoji_newer_than_the_tables_are_shown_and_wide() -> None:
    assert printable("\U0001fadd") == "\U0001fadd"
    assert display_width("\U0001fadd") == 2


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("中文字", 5, "中文…"),
        ("中文字", 6, "中文字"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("x" * 50_000, 4, "xxx…"),
        ("a" + "\u0301" * 50_000, 1, "…"),
    ],
)
def test_fit(text: str, limit: int, cut: str) -> None:
    assert fit(text, limit) == cut


@given(texts, st.integers(1, 12))
def test_fitted_text_is_printable_and_never_wider_than_its_limit(text: str, limit: int) -> None:
    fitted = fit(text, limit)
    assert display_width(fitted) <= limit
    assert fitted
    assert printable(fitted) == fitted


def test_columns_are_aligned_by_cells_and_isolate_right_to_left_text() -> None:
    rows = columns([["中文", "x"], ["a", "x"], ["שלום", "x"]])
    assert [cells[0] for cells in rows] == ["中文", "a   ", "\u2068שלום\u2069"]


def test_isolate_only_where_something_runs_leftwards() -> None:
    assert isolate("naïve 中") == "naïve 中"
    assert isolate("abcש") == "\u2068abcש\u2069"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["abc"], False),
        (["שלום", "abc"], True),
        (["ש", "abc"], False),
        (["2020", "!"], False),
        ([], False),
        (["سلام"], True),
    ],
)
def test_the_direction_of_most_letters_decides(texts: list[str], expected: bool) -> None:
    assert is_right_to_left(texts) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("她在圖書館看書。", "zh"),
        ("猫は窓のそばで眠る。", "ja"),
        ("고양이가 창가에서 잔다.", "ko"),
        ("大韓民國의 고양이들", "ko"),
        ("我喜欢 Debian 12", "zh"),
        ("Кошка спит у окна.", None),
        ("The character 猫 means cat", None),
        ("12 。", None),
    ],
)
def test_the_script_tells_whose_fonts_a_text_needs(text: str, language: str | None) -> None:
    assert script_language(text.split()) == language
