"""CoNLL-X in: the format of the older treebanks, such as conversions of PTB and CTB."""

from __future__ import annotations

from collections.abc import Iterator

from pointree.errors import FormatError
from pointree.treebank.blocks import Block, OnInvalid, Readable, read_blocks
from pointree.treebank.rows import split_comments, to_tokens
from pointree.treebank.sentence import Sentence

__all__ = ["read_conllx"]

_WIDTHS = (8, 10)


def read_conllx(
    source: Readable, *, name: str | None = None, on_invalid: OnInvalid | None = None
) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-X file one by one, with the errors of `read_conllu`.

    The first eight columns stand where CoNLL-U has them: CPOSTAG becomes `upos` and POSTAG `xpos`. PHEAD and
    PDEPREL, which a file may leave out, are dropped. The format has neither ranges nor empty nodes.
    """
    return read_blocks(source, _parse, name, on_invalid)


def _parse(block: Block, name: str) -> Sentence:
    comments, rows = split_comments(block, name)
    line = block.line + len(comments)
    tokens = to_tokens([_as_conllu(row, number, name) for number, row in enumerate(rows, line)], line, name)
    for number, token in enumerate(tokens, line):
        if not token.is_word:
            raise FormatError(name, number, f"CoNLL-X has words only, found id {token.id}: is it CoNLL-U?")
    return Sentence(tokens, comments, block.leader, block.trailer, block.newline)


def _as_conllu(row: str, number: int, name: str) -> str:
    columns = row.split("\t")
    if len(columns) not in _WIDTHS:
        expected = " or ".join(map(str, _WIDTHS))
        raise FormatError(name, number, f"expected {expected} columns separated by tabs, found {len(columns)}")
    return "\t".join((*columns[:8], "_", "_"))
