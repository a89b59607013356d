"""What `pointree parse` reads: strings, files, globs and standard input, in the format that is named or guessed."""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, cast

from pointree.errors import FormatError, InputError, UsageError
from pointree.files import open_binary, reading
from pointree.treebank.formats import Format, read_treebank
from pointree.treebank.sentence import Sentence
from pointree.treebank.text import read_text
from pointree.treebank.udpipe import TextModel

__all__ = ["FORMATS", "Source", "find_sources", "read_source"]

FORMATS = ("text", "conllu", "conllx", "words")

_TREEBANK_SUFFIXES = (".conllu", ".conll", ".conllx", ".conll06")
_PEEK = 1 << 14


@dataclass(frozen=True, slots=True)
class Source:
    """A file, standard input ("-"), or a string of text."""

    name: str
    text: str | None = None

    def open(self) -> BinaryIO:
        """The bytes of the source."""
        if self.text is not None:
            return io.BytesIO(self.text.encode("utf-8", "surrogateescape"))
        return cast(BinaryIO, sys.stdin.buffer) if self.name == "-" else open_binary(self.name)


def find_sources(arguments: Sequence[str]) -> list[Source]:
    """Tell files and globs from text: what exists or looks like a path is a file, all else is a string to parse."""
    if not arguments:
        if sys.stdin.isatty():
            raise UsageError("parse: expected text, files or standard input, found nothing; see pointree parse --help")
        return [Source("-")]
    sources = []
    for argument in arguments:
        if argument == "-" or os.path.isfile(argument):
            sources.append(Source(argument))
        elif os.path.isdir(argument):
            raise InputError(f"{argument}: expected a file, found a directory")
        elif matches := sorted(filter(os.path.isfile, glob.glob(argument, recursive=True))):
            sources.extend(map(Source, matches))
        elif _looks_like_a_path(argument):
            raise InputError(f"{argument}: no such file")
        else:
            sources.append(Source("<text>", argument))
    return sources


def _looks_like_a_path(argument: str) -> bool:
    suffixes = (*_TREEBANK_SUFFIXES, ".txt", ".gz")
    return not any(char.isspace() for char in argument) and (os.sep in argument or argument.endswith(suffixes))


def read_source(
    source: Source,
    format_: str | None,
    text_model: Callable[[], TextModel],
    *,
    presegmented: bool = False,
    prefix: str = "",
    on_invalid: Callable[[FormatError], None] | None = None,
) -> Iterator[Sentence]:
    """The sentences of a source; raw text goes through the text model, which is asked for only then."""
    with reading(source.name):
        stream = source.open()
        if format_ is None:
            format_, stream = _guess(source, stream)
        if format_ == "text":
            yield from read_text(stream, text_model(), name=source.name, presegmented=presegmented, prefix=prefix)
        else:
            treebank_format = None if format_ == "treebank" else cast(Format, format_)
            yield from read_treebank(stream, format=treebank_format, name=source.name, on_invalid=on_invalid)


def _guess(source: Source, stream: BinaryIO) -> tuple[str, BinaryIO]:
    """Text or treebank: by name, or by a first row with the columns of one."""
    if source.text is not None:
        return "text", stream
    if source.name.removesuffix(".gz").endswith(_TREEBANK_SUFFIXES):
        return "treebank", stream
    buffered = io.BufferedReader(cast(io.RawIOBase, stream), _PEEK) if not hasattr(stream, "peek") else stream
    start = buffered.peek(_PEEK)
    for line in start.split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            return ("treebank" if line.count(b"\t") >= 7 else "text"), buffered
    return "text", buffered
