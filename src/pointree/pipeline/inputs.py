"""What is parsed: strings, files, globs and standard input, in the format that is named or guessed."""

from __future__ import annotations

import glob
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from pointree.errors import FormatError, InputError, UsageError
from pointree.files import decompressed, open_binary, reading, rewound, without_compression_suffix
from pointree.options import SentenceBreaks
from pointree.text.reading import Segmenter, read_text, segment_text
from pointree.treebank.formats import TreebankFormat, read_treebank
from pointree.treebank.sentence import Sentence

__all__ = ["INPUT_FORMATS", "Input", "find_inputs", "guess_input", "read_input", "read_inputs"]

INPUT_FORMATS = ("text", "conllu", "conllx", "words")

_TREEBANK_SUFFIXES = (".conllu", ".conll", ".conllx", ".conll06")
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]+$")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SAMPLE_BYTES = 1 << 15
_MOST_COMMENTS = 1 << 16
"""Bytes of comments and blank lines after which an input without a row is taken for text."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file, standard input ("-"), or a string of text."""

    name: str
    text: str | None = None
    stream: BinaryIO | None = None
    """What was opened already to look at its start."""

    @property
    def title(self) -> str:
        """What messages call the input."""
        return "<stdin>" if self.name == "-" else self.name

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes of the input, unpacked if they are compressed."""
        if self.text is not None:
            yield io.BytesIO(self.text.encode("utf-8", "surrogateescape"))
        elif self.stream is not None:
            with self.stream as stream:
                yield stream
        elif self.name == "-":
            yield decompressed(cast(BinaryIO, sys.stdin.buffer))
        else:
            with open_binary(self.name) as stream:
                yield stream

    def sampled(self, format_: str | None) -> tuple[str, Input]:
        """The text at the start of the input, to tell its language by, and an input that still has it all."""
        if self.text is not None:
            return self.text, self
        with reading(self.title):
            if os.path.isfile(self.name):
                with open_binary(self.name) as stream:
                    return _plain_text(self, format_, stream.read(_SAMPLE_BYTES)), self
            stream = decompressed(cast(BinaryIO, sys.stdin.buffer)) if self.name == "-" else open_binary(self.name)
            start = stream.read(_SAMPLE_BYTES)
        return _plain_text(self, format_, start), replace(self, stream=rewound(start, stream, close=True))


def _plain_text(given: Input, format_: str | None, start: bytes) -> str:
    """The text of the start of a file; of a treebank its words, one sentence a line."""
    text = start.decode("utf-8", "ignore")
    if (format_ or guess_input(given, cast(BinaryIO, io.BytesIO(start)))[0]) in ("text", "words"):
        return text
    words: list[str] = []
    for line in text.splitlines():
        columns = line.split("\t")
        if not line:
            words.append("\n")  # of a file in several languages, each sentence is in one
        elif columns[0].isdecimal() and len(columns) > 1:
            words.append(f"{columns[1]} ")
    return "".join(words)


def find_inputs(arguments: Sequence[str | os.PathLike[str]]) -> list[Input]:
    """Tell files and globs from text: what exists or looks like a path is a file, all else is a string to parse."""
    if not arguments:
        raise UsageError("expected at least one input, found none")
    inputs = []
    for argument in [os.fspath(each) for each in arguments]:
        if os.path.isdir(argument):
            raise InputError(f"{argument}: expected a file, found a directory")
        if argument == "-" or os.path.exists(argument):  # a pipe such as <(zcat file) exists, but is no regular file
            inputs.append(Input(argument))
        elif matches := sorted(filter(os.path.isfile, glob.glob(argument, recursive=True))):
            inputs.extend(map(Input, matches))
        elif _looks_like_a_path(argument):
            raise InputError(f"{argument}: no such file; to parse this as text, pipe it to standard input")
        else:
            inputs.append(Input("<text>", argument))
    return inputs


def _looks_like_a_path(argument: str) -> bool:
    """Whether an argument is a word with a slash or a suffix: more often a name with a slip than a text of one word."""
    return not any(char.isspace() for char in argument) and (os.sep in argument or bool(_SUFFIX.search(argument)))


def read_inputs(
    inputs: Iterable[tuple[int, Input]],
    format_: str | None,
    segmenter: Callable[[], Segmenter],
    *,
    several: bool,
    sentences: SentenceBreaks = "auto",
    on_invalid: Callable[[FormatError], None] | None = None,
) -> Iterator[Sentence]:
    """The sentences of numbered inputs; of ``several``, the first sentence of each has its name in ``# newdoc id``."""
    for number, given in inputs:
        found = read_input(
            given,
            format_,
            segmenter,
            sentences=sentences,
            prefix=f"{number}-" if several else "",
            on_invalid=on_invalid,
        )
        first = next(found, None) if several else None
        if first is not None:
            if first.meta("newdoc id") is None and first.meta("newdoc") is None:
                # A file name need not be UTF-8, as what is written must be.
                title = os.fsencode(given.title).decode("utf-8", "replace")
                document = f"text-{number}" if given.text is not None else title
                first.comments.insert(0, f"# newdoc id = {' '.join(document.split())}")
            yield first
        yield from found


def read_input(
    given: Input,
    format_: str | None,
    segmenter: Callable[[], Segmenter],
    *,
    sentences: SentenceBreaks = "auto",
    prefix: str = "",
    on_invalid: Callable[[FormatError], None] | None = None,
) -> Iterator[Sentence]:
    """The sentences of an input; raw text goes through the segmenter, which is asked for only then."""
    if given.text is not None and format_ in (None, "text"):
        yield from segment_text(given.text, segmenter(), name=given.title, sentences=sentences, prefix=prefix)
        return
    with reading(given.title), given.open() as stream:
        if format_ is None:
            format_, stream = guess_input(given, stream)
        if format_ == "text":
            yield from read_text(stream, segmenter(), name=given.title, sentences=sentences, prefix=prefix)
        else:
            treebank_format = None if format_ == "treebank" else cast(TreebankFormat, format_)
            yield from read_treebank(
                stream, format=treebank_format, name=given.title, on_invalid=on_invalid, id_prefix=prefix
            )


def guess_input(given: Input, stream: BinaryIO) -> tuple[str, BinaryIO]:
    """Text or treebank, by name or by a first row with the columns of one; and the stream from its start."""
    if without_compression_suffix(given.name).endswith(_TREEBANK_SUFFIXES):
        return "treebank", stream
    start = b""
    guess = "treebank"  # of blank lines at most: its reader then says that there are no sentences
    # By lines, because what a pipe holds at first may be less than a row.
    while len(start) < _MOST_COMMENTS and (line := stream.readline(_MOST_COMMENTS)):
        start += line
        row = line.removeprefix(_BYTE_ORDER_MARK)
        if row.strip():
            guess = "treebank" if row.count(b"\t") >= 7 else "text"
            if not row.startswith(b"#"):
                break
    return guess, rewound(start, stream)
