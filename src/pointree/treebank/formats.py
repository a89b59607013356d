"""Reading a treebank of whichever format: the one that is named, or the one that its first rows show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, TypeAlias, get_args

from pointree.errors import InputError, UsageError
from pointree.files import reading
from pointree.treebank.blocks import MAX_LINES, OnInvalid, Readable, open_lines, source_name
from pointree.treebank.conllu import read_conllu
from pointree.treebank.conllx import read_conllx
from pointree.treebank.plain import read_words
from pointree.treebank.sentence import Sentence

__all__ = ["TreebankFormat", "guess_format", "read_all", "read_treebank", "require_sentences"]

TreebankFormat: TypeAlias = Literal["conllu", "conllx", "words"]

_READERS = {"conllu": read_conllu, "conllx": read_conllx, "words": read_words}
_INTEGER = re.compile("[0-9]+")


def guess_format(lines: Iterable[str]) -> Literal["conllu", "conllx"]:
    """CoNLL-X if some row has eight columns, or ten of which PHEAD is a number; CoNLL-U otherwise.

    CoNLL-X files whose PHEAD is always `_` read the same as CoNLL-U.
    """
    for line in lines:
        columns = line.removeprefix("\ufeff").rstrip("\r\n").split("\t")
        if len(columns) == 8 and _INTEGER.fullmatch(columns[0]):
            return "conllx"
        if len(columns) == 10 and _INTEGER.fullmatch(columns[8]):
            return "conllx"
    return "conllu"


def read_treebank(
    source: Readable,
    *,
    format: TreebankFormat | None = None,  # noqa: A002 - the word that the command line has for it
    name: str | None = None,
    on_invalid: OnInvalid | None = None,
    id_prefix: str | None = None,
) -> Iterator[Sentence]:
    """Read sentences one by one as CoNLL-U, CoNLL-X or words; without a format, the first sentence decides.

    Tokenised text ("words") is never guessed: a damaged treebank would pass for it. With an ``id_prefix``, sentences
    of the other formats that have no comments get those that valid CoNLL-U must have.
    """
    if format is not None and format not in _READERS:
        raise UsageError(f"format: expected one of {', '.join(get_args(TreebankFormat))}, found {format!r}")
    name = name or source_name(source)
    if format is None:
        return _read_guessing(source, name, on_invalid, id_prefix)
    return _read(format, source, name, on_invalid, id_prefix)


def read_all(
    source: Readable,
    *,
    format: TreebankFormat | None = None,  # noqa: A002
    name: str | None = None,
    on_invalid: OnInvalid | None = None,
) -> list[Sentence]:
    """All sentences of a source, of which there must be one at least."""
    name = name or source_name(source)
    sentences = read_treebank(source, format=format, name=name, on_invalid=on_invalid)
    return list(require_sentences(sentences, name))


def require_sentences(sentences: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Pass sentences on one by one; where they end before the first, that is an `InputError`."""
    found = False
    for sentence in sentences:
        found = True
        yield sentence
    if not found:
        raise InputError(f"{name}: no sentences found")


def _read(
    format_: TreebankFormat, source: Readable, name: str, on_invalid: OnInvalid | None, id_prefix: str | None
) -> Iterator[Sentence]:
    sentences = _READERS[format_](source, name=name, on_invalid=on_invalid)
    return sentences if format_ == "conllu" or id_prefix is None else _identified(sentences, id_prefix)


def _identified(sentences: Iterable[Sentence], prefix: str) -> Iterator[Sentence]:
    for number, sentence in enumerate(sentences, 1):
        sentence.comments = sentence.comments or [f"# sent_id = {prefix}{number}", f"# text = {sentence.text}"]
        yield sentence


def _read_guessing(
    source: Readable, name: str, on_invalid: OnInvalid | None, id_prefix: str | None
) -> Iterator[Sentence]:
    with reading(name), open_lines(source) as lines:
        first = _first_block(lines)
        guessed = guess_format(line.decode("utf-8", "replace") for line in first)
        yield from _read(guessed, chain(first, lines), name, on_invalid, id_prefix)


def _first_block(lines: Iterator[bytes]) -> list[bytes]:
    """The lines up to the first blank one after a row; a stream that is typed in waits for no more."""
    first: list[bytes] = []
    started = False
    for line in lines:
        first.append(line)
        started = started or not line.isspace()
        if (started and line.isspace()) or len(first) > MAX_LINES:
            break
    return first
