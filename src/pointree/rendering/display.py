"""How text looks in cells of a terminal: its width, what is safe to print, its direction and the fonts it asks for.

Terminals disagree about rare characters. The rules here are those of current ones (VTE, kitty, iTerm2,
Windows Terminal): a wide character has two cells, a mark none, an emoji sequence two in all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

__all__ = ["columns", "display_width", "fit", "is_right_to_left", "isolate", "printable", "script_language"]

ZERO_WIDTH_NON_JOINER = "\u200c"
ZERO_WIDTH_JOINER = "\u200d"
EMOJI_PRESENTATION = "\ufe0f"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
DOTTED_CIRCLE = "\u25cc"
ELLIPSIS = "…"
NARROW_TONED = tuple("☝⛹✌✍")  # one cell alone, an emoji of two with a skin tone

_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7ff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")

_SHORT_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def printable(text: str) -> str:
    r"""The text with everything that could act on a terminal or a renderer shown as an escape like ``\x1b``.

    Control and format characters (among them those that reorder text), line separators, surrogates and
    unassigned code points are escaped, so the result is also legal in XML. Joiners and marks stay; a mark
    with nothing to sit on gets the dotted circle.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(map(_shown, text))
    return DOTTED_CIRCLE + shown if shown and _cells(shown[0]) == 0 else shown


def display_width(text: str) -> int:
    """The number of terminal cells that printable text takes."""
    return len(text) if text.isascii() else sum(_widths(text))


def fit(text: str, limit: int) -> str:
    """The printable form of the text, cut to at most `limit` cells; what is cut ends in an ellipsis."""
    # A cell shows at most a handful of characters, so the rest of a monstrous word need not be looked at.
    shown = printable(text[: 16 * limit])
    if display_width(shown) <= limit and len(text) <= 16 * limit:
        return shown
    cells, end = 0, 0
    for end, width in enumerate(_widths(shown)):  # noqa: B007 - the position of the cut is used below
        cells += width
        if cells > limit - 1:
            break
    return shown[:end] + ELLIPSIS


def columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The printable cells of a table, padded so that its columns are aligned on a terminal."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    return [
        [isolate(cell) + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
        for row in rows
    ]


def isolate(text: str) -> str:
    """The text, wrapped if it has right-to-left letters so that they cannot reorder the rest of the line."""
    if text.isascii() or not any(map(_leftward, text)):
        return text
    return FIRST_STRONG_ISOLATE + text + POP_ISOLATE


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most of the letters that have a direction run from right to left."""
    balance = 0
    for text in texts:
        if text.isascii():
            balance += sum(map(str.isalpha, text))
        else:
            balance += sum(unicodedata.bidirectional(character) == "L" for character in text)
            balance -= sum(map(_leftward, text))
    return balance < 0


def script_language(texts: Iterable[str]) -> str | None:
    """The language whose fonts a text needs: "ja", "ko" or "zh", and None where the other letters prevail.

    The three share characters but not their shapes, so a renderer that is not told takes any font for each of them.
    """
    text = "".join(texts)
    hangul, kana, han = (len(pattern.findall(text)) for pattern in (_HANGUL, _KANA, _HAN))
    asian = hangul + kana + han
    # One of these characters says about as much as three letters.
    if 4 * asian <= sum(map(str.isalpha, text)):
        return None
    return "ko" if hangul > kana + han else "ja" if kana else "zh"


def _leftward(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _widths(text: str) -> Iterator[int]:
    """The cells that each character adds to those before it."""
    before, base_width = "", 0
    for character in text:
        width = _cells(character)
        if character == EMOJI_PRESENTATION:
            # A symbol that asks to be shown as an emoji grows to the two cells of an emoji.
            width = 1 if base_width == 1 and not before.isalpha() else 0
            base_width += width
        elif width:
            joined = before == ZERO_WIDTH_JOINER and _is_pictograph(character)
            toned = "\U0001f3fb" <= character <= "\U0001f3ff" and (base_width == 2 or before in NARROW_TONED)
            if joined:
                width = 0
            elif toned:
                width, base_width = 2 - base_width, 2
            else:
                base_width = width
        yield width
        before = character


@lru_cache(maxsize=4096)
def _cells(character: str) -> int:
    """The cells of a character that stands alone."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or _is_conjoining_jamo(character):
        return 0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2
    # Emoji newer than this Python's Unicode tables are unassigned to it, and wide on the terminal.
    return 2 if unicodedata.category(character) == "Cn" else 1


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    category = unicodedata.category(character)
    if category not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"):
        return character
    if character in (ZERO_WIDTH_JOINER, ZERO_WIDTH_NON_JOINER) or _is_emoji_tag(character):
        return character
    if category == "Cn" and _is_pictograph(character):
        return character
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_pictograph(character: str) -> bool:
    """Whether the character can be a part of an emoji sequence."""
    return "\U0001f000" <= character <= "\U0001faff" or "\u2190" <= character <= "\u2bff"


def _is_emoji_tag(character: str) -> bool:
    """Whether the character spells the region in the flag of England and the like."""
    return "\U000e0020" <= character <= "\U000e007f"


def _is_conjoining_jamo(character: str) -> bool:
    """Whether the character is a vowel or final consonant that joins the Korean syllable before it."""
    return "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff"
