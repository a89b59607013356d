"""Clean text, and where each of its characters stands in the original document.

What is cleaned, so that every text becomes valid CoNLL-U:

- CR, CR LF, U+0085, U+2028, vertical tab and form feed are line ends; U+2029 ends a paragraph;
- every other control character is a space, and a byte-order mark at the start is dropped;
- letters are composed (Unicode NFC), as Universal Dependencies demand; of the combining marks on one letter, the first
  30 are kept, as many as text in the stream-safe format of UAX #15 can have;
- U+FFFD, the trace of an earlier decoding error, which the UD validator refuses, is a question mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["CleanText", "clean", "code_points"]

MAX_MARKS = 30
"""Combining marks on one letter that are kept; without a limit, the time to sort them grows with their square."""

_TO_SPACE = {code: " " for code in range(0xA0) if unicodedata.category(chr(code)) == "Cc"}
_TO_LINE_END = dict.fromkeys((0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028), "\n")
_CLEANING: dict[int, str] = _TO_SPACE | _TO_LINE_END | {0x2029: "\n\n", 0xFFFD: "?"}
_FIRST_MARK = "\u0300"
"""All characters before it stand alone, whatever follows or precedes them."""

_CANDIDATES = ((0x0300, 0x3400), (0xA000, 0xAC00), (0xF900, 0x20000), (0x2F800, 0x2FA20))
"""Code points among which Unicode has combining marks and letters that decompose, apart from Hangul."""

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CleanText:
    """Clean text; its character ``i`` stands for the code points ``starts[i]:ends[i]`` of the document.

    Characters that cannot be told apart in the document, such as a letter and a mark that were written in another
    order, have the same range.
    """

    text: str
    starts: Offsets
    ends: Offsets

    def __len__(self) -> int:
        return len(self.text)

    def __add__(self, other: CleanText) -> CleanText:
        if not self.text or not other.text:
            return self if self.text else other
        return self.joined((self, other))

    @classmethod
    def joined(cls, parts: Sequence[CleanText]) -> CleanText:
        """Parts that follow one another as one."""
        starts, ends = (np.concatenate([getattr(part, name) for part in parts]) for name in ("starts", "ends"))
        return cls("".join(part.text for part in parts), starts, ends)

    def __getitem__(self, part: slice) -> CleanText:
        return CleanText(self.text[part], self.starts[part], self.ends[part])

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The range in the document of the characters from ``first`` up to, without, ``last``."""
        return int(self.starts[first]), int(self.ends[last - 1])

    def inseparable(self) -> NDArray[np.bool_]:
        """Which characters cannot be the first of a token, since they share their range with the one before."""
        shared = np.zeros(len(self.text), dtype=bool)
        shared[1:] = self.starts[1:] == self.starts[:-1]
        return shared


def code_points(text: str) -> NDArray[np.uint32]:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def clean(blocks: Iterable[str]) -> Iterator[CleanText]:
    """Clean a document that comes in blocks; where they end makes no difference to the text as a whole."""
    held: list[str] = []
    position = 0
    is_start = True
    for block in blocks:
        if is_start and block:
            is_start = False
            if block[0] == "\ufeff":
                block, position = block[1:], 1
        end = _last_break(block)
        if end is None:
            held.append(block)
            continue
        whole = "".join(held) + block[:end]
        held = [block[end:]]
        if whole:
            yield _cleaned(whole, position)
            position += len(whole)
    if rest := "".join(held):
        yield _cleaned(rest, position)


def _last_break(block: str) -> int | None:
    """The last place of a block after which nothing can change what stands before it, None if it has none."""
    for place in range(len(block) - 1, -1, -1):
        char = block[place]
        if char < _FIRST_MARK:
            # LF belongs to a CR before it.
            if char == "\n" and place == 0:
                return None
            return place - 1 if char == "\n" and block[place - 1] == "\r" else place
        if char not in _joining():
            return place
    return None


def _cleaned(raw: str, position: int) -> CleanText:
    starts = np.arange(position, position + len(raw), dtype=np.int64)
    ends = starts + 1
    if "\r\n" in raw:
        codes = code_points(raw)
        is_first = np.zeros(len(raw), dtype=bool)
        is_first[:-1] = (codes[:-1] == 0x0D) & (codes[1:] == 0x0A)
        starts[1:] -= is_first[:-1]
        starts, ends = starts[~is_first], ends[~is_first]
        raw = raw.replace("\r\n", "\n")
    if "\u2029" in raw:
        times = np.where(code_points(raw) == 0x2029, 2, 1)
        starts, ends = starts.repeat(times), ends.repeat(times)
    text = raw.translate(_CLEANING)
    whole = CleanText(text, starts, ends)
    return whole if unicodedata.is_normalized("NFC", text) and _has_few_marks(text) else _composed(whole)


def _composed(whole: CleanText) -> CleanText:
    """The text with composed letters; a group of letters and marks that changes keeps the range of all of them."""
    parts: list[str] = []
    firsts: list[Offsets] = []
    lasts: list[Offsets] = []

    def copy(first: int, last: int) -> None:
        parts.append(whole.text[first:last])
        firsts.append(whole.starts[first:last])
        lasts.append(whole.ends[first:last])

    done = 0
    for match in _groups().finditer(whole.text):
        copy(done, match.start())
        done = match.end()
        for first, last, composed in _letters(whole.text, match.start(), match.end()):
            if composed == whole.text[first:last]:
                copy(first, last)
                continue
            parts.append(composed)
            firsts.append(np.full(len(composed), whole.starts[first]))
            lasts.append(np.full(len(composed), whole.ends[last - 1]))
    copy(done, len(whole.text))
    return CleanText("".join(parts), np.concatenate(firsts), np.concatenate(lasts))


def _letters(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Cut a group into the smallest parts that can be composed alone: where each stands, and what it becomes."""
    first, marks = start, 0
    for place in range(start + 1, end + 1):
        if place < end and _is_mark(text[place]):
            marks += 1
            if marks == MAX_MARKS + 1:
                yield from _parts(text, first, place)
            continue
        if place < end:
            together = text[first:place] + text[place]
            if marks <= MAX_MARKS and _nfc(together) != _nfc(text[first:place]) + _nfc(text[place]):
                continue
        if marks <= MAX_MARKS:
            yield from _parts(text, first, place)
        first, marks = place, 0


def _parts(text: str, first: int, last: int) -> Iterator[tuple[int, int, str]]:
    whole = _nfc(text[first:last])
    for place in range(first + 1, last):
        if len(whole) == 1:
            break
        before, after = _nfc(text[first:place]), _nfc(text[place:last])
        if before + after == whole:
            yield first, place, before
            first, whole = place, after
    yield first, last, whole


def _is_mark(char: str) -> bool:
    """Whether a character, or the first that it is composed of, is a combining mark."""
    return unicodedata.combining(unicodedata.normalize("NFD", char)[0]) > 0


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _has_few_marks(text: str) -> bool:
    """Whether no letter has more marks than are kept; the slow search is for texts that have so many at all."""
    if text.isascii():
        return True
    marks = [char for char in set(text) if char >= _FIRST_MARK and _is_mark(char)]
    return sum(map(text.count, marks)) <= MAX_MARKS or not _many_marks().search(text)


@cache
def _joining() -> frozenset[str]:
    """The characters that may become one with what stands before them, or change places with it."""
    seconds = {chr(code) for first, last in ((0x1161, 0x1176), (0x11A8, 0x11C3)) for code in range(first, last)}
    found = set()
    for char in _candidates():
        if _is_mark(char):
            found.add(char)
        parts = unicodedata.decomposition(char)
        if parts and parts[0] != "<":
            seconds.update(chr(int(part, 16)) for part in parts.split()[1:])
    return frozenset(found | seconds)


@cache
def _many_marks() -> re.Pattern[str]:
    marks = "".join(re.escape(char) for char in sorted(_joining()) if _is_mark(char))
    return re.compile(f"[{marks}]{{{MAX_MARKS + 1}}}")


@cache
def _groups() -> re.Pattern[str]:
    """Letters with what may join them, and letters that are always written otherwise, such as the sign for ohm."""
    joining = "".join(map(re.escape, sorted(_joining())))
    others = "".join(
        re.escape(char) for char in _candidates() if unicodedata.decomposition(char) and _nfc(char) != char
    )
    return re.compile(f"[{others}][{joining}]*|.[{joining}]+", re.DOTALL)


def _candidates() -> Iterator[str]:
    return (chr(code) for first, last in _CANDIDATES for code in range(first, last))
