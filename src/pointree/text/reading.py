"""Raw text to sentences, as a stream: decoded, cleaned and given to a segmenter.

`pointree.text.cleaning` has what is cleaned, and `pointree.text.decoding` what is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol, TextIO

from pointree.errors import UsageError
from pointree.files import open_binary, reading
from pointree.options import SentenceBreaks
from pointree.text.char_segmenter import CharSegmenter
from pointree.text.cleaning import CleanText, clean
from pointree.text.decoding import BLOCK, chunks, decode
from pointree.treebank.sentence import Sentence

__all__ = ["Segmenter", "read_text", "segment_steps", "segment_text"]

_SMALL_BLOCK = 1 << 13
"""Characters that are cleaned between two pauses."""


class Segmenter(Protocol):
    """What turns clean text into sentences: the segmenter of a model, or an old model's `TextModel`."""

    def sentences(
        self, blocks: Iterable[CleanText], breaks: SentenceBreaks = "auto"
    ) -> Iterator[tuple[Sentence, bool]]:
        """The sentences of a document, each with whether it begins a paragraph.

        They have `start` and `end`, and no comments. A blank line ends a paragraph; ``breaks`` says what other line
        breaks mean.
        """


def read_text(
    source: str | os.PathLike[str] | BinaryIO | TextIO,
    segmenter: Segmenter,
    *,
    name: str | None = None,
    sentences: SentenceBreaks = "auto",
    prefix: str = "",
) -> Iterator[Sentence]:
    """Segment a text file as it is read, holding a part of it in memory.

    `source` is a path (plain or gzip) or an open stream, and `name` what messages call it. Blank lines are
    paragraph breaks; `sentences` says what other line breaks mean, as in `ParseOptions`. Sentences are numbered from 1
    in `# sent_id`, after `prefix`, which keeps the sentences of several files apart.
    """
    if isinstance(source, str | os.PathLike):
        name = name or os.fspath(source)
        with open_binary(source) as stream, reading(name):
            yield from _segment(decode(chunks(stream), name), segmenter, sentences, prefix)
    else:
        name = name or str(getattr(source, "name", "<input>"))
        with reading(name):
            yield from _segment(decode(chunks(source), name), segmenter, sentences, prefix)


def segment_text(
    text: str | bytes,
    segmenter: Segmenter,
    *,
    name: str = "<text>",
    sentences: SentenceBreaks = "auto",
    prefix: str = "",
) -> Iterator[Sentence]:
    """Segment a text in memory; all else is as in `read_text`."""
    if not isinstance(text, str | bytes):
        raise UsageError(f"{name}: expected a text, found {text!r:.40}")
    return _segment(decode(_blocks(text, BLOCK), name), segmenter, sentences, prefix)


def segment_steps(
    text: str, segmenter: CharSegmenter, *, name: str = "<text>", sentences: SentenceBreaks = "auto"
) -> Iterator[Sentence | None]:
    """The same as `segment_text`, with pauses: None where no sentence is complete after a short piece of work."""
    number = 0
    for found in segmenter.sentence_steps(clean(decode(_blocks(text, _SMALL_BLOCK), name)), sentences):
        if found is None:
            yield None
        else:
            number += 1
            yield _commented(*found, str(number))


def _blocks(text: str | bytes, size: int) -> Iterator[str | bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


def _segment(blocks: Iterable[str], segmenter: Segmenter, breaks: SentenceBreaks, prefix: str) -> Iterator[Sentence]:
    for number, (sentence, begins) in enumerate(segmenter.sentences(clean(blocks), breaks), 1):
        yield _commented(sentence, begins, f"{prefix}{number}")


def _commented(sentence: Sentence, begins: bool, sent_id: str) -> Sentence:
    comments = [f"# sent_id = {sent_id}", f"# text = {sentence.text}"]
    sentence.comments = ["# newpar", *comments] if begins else comments
    return sentence
