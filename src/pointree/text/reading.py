"""Raw text to sentences, as a stream: decoded, cleaned, cut into paragraphs and given to a tokeniser.

What is cleaned, so that every text becomes valid CoNLL-U:

- CR, CR LF, U+0085, U+2028, vertical tab and form feed are line ends; U+2029 ends a paragraph;
- every other control character is a space, and a byte-order mark at the start is dropped;
- letters are composed (Unicode NFC), as Universal Dependencies demand;
- U+FFFD, the trace of an earlier decoding error, which the UD validator refuses, is a question mark.

Bytes that are not UTF-8 and lone surrogates are errors with their place.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol, TextIO

from pointree.errors import FormatError
from pointree.files import open_binary, reading
from pointree.treebank.sentence import Sentence

__all__ = ["MAX_PIECE", "Segmenter", "read_text", "segment_text"]

MAX_PIECE = 1 << 16
"""Characters of a paragraph that are segmented at once.

A longer paragraph is cut at white space, and its last sentence begun again with what follows, so that a cut
shows only in a single sentence (or, with one sentence a line, a single line) or a single word that is longer.
"""

_BLOCK = 1 << 16
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LEADING_SPACE = re.compile(r"\A\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CLEANING: dict[int, str] = {code: " " for code in range(0xA0) if unicodedata.category(chr(code)) == "Cc"}
_CLEANING |= dict.fromkeys((0x0A, 0x0B, 0x0C, 0x85, 0x2028), "\n") | {0x2029: "\n\n", 0xFFFD: "?"}


class Segmenter(Protocol):
    """What turns clean text into sentences; `TextModel` is one."""

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        """Cut text into sentences of words."""


def read_text(
    source: str | os.PathLike[str] | BinaryIO | TextIO,
    model: Segmenter,
    *,
    name: str | None = None,
    presegmented: bool = False,
    prefix: str = "",
) -> Iterator[Sentence]:
    """Segment a text file one paragraph at a time, holding no more than a paragraph in memory.

    `source` is a path (plain or gzip) or an open stream, and `name` what messages call it. Blank lines are
    paragraph breaks; with `presegmented`, each line is a sentence. Sentences are numbered from 1 in
    `# sent_id`, after `prefix`, which keeps the sentences of several files apart.
    """
    if isinstance(source, str | os.PathLike):
        name = name or os.fspath(source)
        with open_binary(source) as stream, reading(name):
            yield from _segment(_decode(_chunks(stream), name), model, presegmented, prefix)
    else:
        name = name or str(getattr(source, "name", "<input>"))
        with reading(name):
            yield from _segment(_decode(_chunks(source), name), model, presegmented, prefix)


def segment_text(
    text: str | bytes,
    model: Segmenter,
    *,
    name: str = "<text>",
    presegmented: bool = False,
    prefix: str = "",
    max_piece: int | None = None,
) -> Iterator[Sentence]:
    """Segment a text in memory; all else is as in `read_text`. ``max_piece`` stands for `MAX_PIECE`."""
    blocks = (text[start : start + _BLOCK] for start in range(0, len(text), _BLOCK))
    return _segment(_decode(blocks, name), model, presegmented, prefix, max_piece)


def _chunks(stream: BinaryIO | TextIO) -> Iterator[bytes | str]:
    """A stream bit by bit, without waiting for more of a pipe than there is."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(_BLOCK):
        yield chunk


def _decode(chunks: Iterable[bytes | str], name: str) -> Iterator[str]:
    r"""Chunks of a file as text with ``\n`` for every CR and CR LF, and no byte-order mark at its start."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    line = 1
    first = True
    for chunk in _with_end(chunks):
        if isinstance(chunk, bytes):
            try:
                decoded = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                line += newlines.decode(error.object[: error.start].decode("utf-8"), final=True).count("\n")
                problem = f"expected UTF-8, found byte 0x{error.object[error.start]:02x} ({error.reason})"
                raise FormatError(name, line, problem) from None
        else:
            decoded = chunk
        text = newlines.decode(decoded, final=not chunk)
        if found := _SURROGATE.search(text):
            line += text[: found.start()].count("\n")
            raise FormatError(name, line, f"expected Unicode text, found a lone U+{ord(found[0]):04X}")
        line += text.count("\n")
        yield text.removeprefix("\ufeff") if first else text
        first = first and not text


def _with_end(chunks: Iterable[bytes | str]) -> Iterator[bytes | str]:
    """The chunks and, after the last, an empty one of its kind: the sign for decoders to finish."""
    end: bytes | str = b""
    for chunk in chunks:
        end = chunk[:0]
        yield chunk
    yield end


def _segment(
    blocks: Iterable[str], model: Segmenter, presegmented: bool, prefix: str, max_piece: int | None = None
) -> Iterator[Sentence]:
    number = 0
    rest = ""
    begins = True
    for piece, ends in _pieces(blocks, presegmented, max_piece or MAX_PIECE):
        text = rest + unicodedata.normalize("NFC", piece)
        rest = ""
        started = False
        for sentence, is_last in _with_is_last(model.segment(text, presegmented=presegmented)):
            if is_last and started and not ends and not presegmented:
                rest = text[_start_of_last(text, sentence) :]
                break
            started = True
            number += 1
            sentence.comments = [f"# sent_id = {prefix}{number}", f"# text = {sentence.text}"]
            if begins:
                sentence.comments.insert(0, "# newpar")
            begins = False
            yield sentence
        begins = begins or ends


def _with_is_last(sentences: Iterator[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Sentences, each with whether it is the last one: one is read ahead, and no more."""
    held = next(sentences, None)
    while held is not None:
        following = next(sentences, None)
        yield held, following is None
        held = following


def _pieces(blocks: Iterable[str], by_line: bool, max_piece: int) -> Iterator[tuple[str, bool]]:
    """Paragraphs, and the pieces of long ones, each with whether its paragraph ends with it."""
    buffer = ""
    for block in blocks:
        buffer += block.translate(_CLEANING)
        start = 0
        for blank in _BLANK_LINE.finditer(buffer):
            yield buffer[start : blank.start()], True
            start = blank.end()
        buffer = _LEADING_SPACE.sub(_shorten, buffer[start:], count=1)
        while len(buffer) > max_piece:
            cut = _cut(buffer, by_line, max_piece)
            yield buffer[:cut], False
            buffer = buffer[cut:]
    yield buffer, True


def _shorten(space: re.Match[str]) -> str:
    """White space at the start of a piece, however long, as one character, and no less a line end."""
    return "\n" if "\n" in space[0] else " "


def _cut(buffer: str, by_line: bool, max_piece: int) -> int:
    """Where to cut a long paragraph: before the last line end or white space that fits, or through a word.

    White space goes with what follows: its line end may turn out to be the first half of a blank line.
    """
    if by_line and (line_end := buffer.rfind("\n", 1, max_piece)) > 0:
        return line_end
    for position in range(max_piece - 1, 0, -1):
        if buffer[position].isspace():
            return len(buffer[:position].rstrip()) or max_piece
    return max_piece


def _start_of_last(text: str, sentence: Sentence) -> int:
    """Where the last sentence of a text starts, found by counting its characters from the end."""
    missing = sum(not character.isspace() for character in sentence.text)
    position = len(text)
    while missing and position:
        position -= 1
        missing -= not text[position].isspace()
    return position
