"""What a bulk job reads: the files of folders, globs and names, each with its kind."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pointree.errors import InputError, UsageError
from pointree.files import reading, without_compression_suffix
from pointree.pipeline.inputs import INPUT_FORMATS, Input, guess_input
from pointree.treebank.formats import guess_format

__all__ = ["SOURCE_KINDS", "Source", "find_sources", "no_column", "state_of", "with_kind"]

SOURCE_KINDS = (*INPUT_FORMATS, "jsonl", "parquet")
"""Formats of input: those of `pointree parse`, and tables with one document a row."""

_BYTES_PER_WORD = {"conllu": 40, "conllx": 30}
"""About how many bytes of a treebank make a word; of all else, six do."""

_COMPRESSION = 4
"""About how much longer a compressed file is when it is unpacked."""

_GUESSED_LINES = 1_000
"""Lines of a treebank that tell CoNLL-U from CoNLL-X."""

_TABLES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


@dataclass(frozen=True, slots=True)
class Source:
    """An input file.

    Attributes:
        number: Its place among all input files, from 1.
        title: Its path as the user wrote it, for comments and messages; what is not UTF-8 in it is replaced.
        path: Its absolute path, which every node must be able to read.
        size: Its bytes on the disk; 0 where it cannot be found, as its reader will say.
        kind: One of `SOURCE_KINDS`, or None where the content decides between text and treebank.
        prefix: What sentence ids start with: nothing for a single file, else the number of the file.
    """

    number: int
    title: str
    path: str
    size: int
    kind: str | None
    prefix: str

    @property
    def is_table(self) -> bool:
        """Whether each row is a document of its own."""
        return self.kind in _TABLES.values()

    @property
    def bytes_per_word(self) -> int:
        """About how many bytes of the unpacked file make a word."""
        is_treebank = without_compression_suffix(self.path).endswith((".conllu", ".conll"))
        return _BYTES_PER_WORD.get(self.kind or ("conllu" if is_treebank else "text"), 6)

    @property
    def words(self) -> int:
        """About how many words the file has, by its size alone."""
        is_compressed = without_compression_suffix(self.path) != self.path
        return self.size * (_COMPRESSION if is_compressed else 1) // self.bytes_per_word


def find_sources(arguments: Sequence[str], kind: str | None) -> list[Source]:
    """All files of folders (with those below them), globs and names, in order; a folder's files are sorted."""
    if kind is not None and kind not in SOURCE_KINDS:
        raise UsageError(f"input format must be one of {', '.join(SOURCE_KINDS)}, found {kind}")
    titles = [title for argument in arguments for title in _files(argument)]
    if not titles:
        raise UsageError("parse on a cluster: expected files, globs or folders, found nothing")
    several = len(titles) > 1
    found = []
    for number, title in enumerate(titles, 1):
        found.append(
            Source(
                number,
                os.fsencode(title).decode("utf-8", "replace"),
                os.path.abspath(title),
                _size_and_time(title)[0],
                kind or _TABLES.get(Path(without_compression_suffix(title)).suffix.lower()),
                f"{number}-" if several else "",
            )
        )
    return found


def no_column(text_column: str, names: Iterable[str]) -> str:
    """What to say of a table without the column."""
    return f"no column {text_column} to take text from; there are {', '.join(names)}"


def with_kind(source: Source) -> Source:
    """The source with its kind, for which the start of the file is read if need be."""
    if source.kind is not None:
        return source
    given = Input(source.path)
    with reading(source.title), given.open() as stream:
        kind, rest = guess_input(given, stream)
        if kind == "treebank":
            kind = guess_format(line.decode("utf-8", "replace") for line in islice(rest, _GUESSED_LINES))
    return replace(source, kind=kind)


def state_of(sources: Sequence[Source]) -> Iterator[list[Any]]:
    """What tells that the inputs are still those of the plan: names, sizes and times of change."""
    for source in sources:
        yield [source.title, source.kind, *_size_and_time(source.path)]


def _size_and_time(path: str) -> tuple[int, int]:
    """The size of a file and when it was changed; zeros for a link to nothing, of which a folder may have some."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _files(argument: str) -> list[str]:
    if argument == "-":
        raise UsageError("parse on a cluster: expected files, globs or folders, found standard input")
    if os.path.isdir(argument):
        inside = [
            os.path.join(folder, name)
            for folder, _folders, names in os.walk(argument)
            for name in names
            if not any(part.startswith(".") for part in Path(folder, name).relative_to(argument).parts)
        ]
        if not inside:
            raise InputError(f"{argument}: expected a folder with files, found none")
        return sorted(inside)
    if os.path.exists(argument):
        return [argument]
    if matches := sorted(filter(os.path.isfile, glob.glob(argument, recursive=True))):
        return matches
    raise InputError(f"{argument}: no such file or folder")
