"""CoNLL-U in and out, without losing a byte: comments, ranges, empty nodes and white space are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from pointree.treebank.blocks import Block, OnInvalid, Readable, read_blocks
from pointree.treebank.rows import split_comments, to_tokens
from pointree.treebank.sentence import Sentence, Token, get_misc

__all__ = ["format_sentence", "read_conllu", "write_conllu"]


def read_conllu(
    source: Readable, *, name: str | None = None, on_invalid: OnInvalid | None = None
) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-U file one by one, holding one in memory.

    `source` is a path (plain or gzip) or an open stream, and `name` what messages call it. A sentence that
    breaks the format raises a `FormatError` with its place; with `on_invalid`, that error is handed over
    instead, and reading goes on after the next blank line. Whether the heads form a tree is another question:
    see `tree_faults`.
    """
    return read_blocks(source, _parse, name, on_invalid)


def format_sentence(sentence: Sentence, *, ranges: bool = True) -> str:
    """A sentence as it stands in a file, with the white space around it.

    With ``ranges``, MISC of the tokens of a raw text says where they stand in it, as UDPipe does:
    ``TokenRange=start:end``. The words of a multiword token are left to its own row.
    """
    miscs = _with_ranges(sentence) if ranges and sentence.start is not None else [t.misc for t in sentence.tokens]
    lines = sentence.comments + [
        f"{token.id}\t{token.form}\t{token.lemma}\t{token.upos}\t{token.xpos}\t{token.feats}\t"
        f"{'_' if token.head is None else token.head}\t{token.deprel}\t{token.deps}\t{misc}"
        for token, misc in zip(sentence.tokens, miscs, strict=True)
    ]
    return sentence.leader + sentence.newline.join(lines) + sentence.trailer


def _with_ranges(sentence: Sentence) -> list[str]:
    """MISC of each row, with its place in the text added to those of surface tokens."""
    if len(sentence.words) == len(sentence.tokens):  # all rows are surface tokens: nearly every sentence
        return [_with_range(token) for token in sentence.tokens]
    miscs, covered = [], 0
    for token in sentence.tokens:
        is_surface = token.is_range or (token.is_word and int(token.id) > covered)
        if token.is_range:
            covered = int(token.id.partition("-")[2])
        miscs.append(_with_range(token) if is_surface else token.misc)
    return miscs


def _with_range(token: Token) -> str:
    """MISC of a surface token with its place in the text, unless it has none or says so already."""
    misc = token.misc
    if token.start is None or ("TokenRange" in misc and get_misc(token, "TokenRange") is not None):
        return misc
    return f"TokenRange={token.start}:{token.end}" if misc == "_" else f"{misc}|TokenRange={token.start}:{token.end}"


def write_conllu(sentences: Iterable[Sentence], stream: TextIO) -> int:
    """Write sentences one by one, and return how many they were.

    What was read from one file is written byte for byte. Where sentences of several files meet, the blank
    line that the end of a file may lack is added, and a byte-order mark that is not the first thing dropped.
    """
    n_written = 0
    missing = ""
    for sentence in sentences:
        text = format_sentence(sentence)
        if n_written:
            text = missing + text.removeprefix("\ufeff")
        stream.write(text)
        missing = sentence.newline * max(0, 2 - sentence.trailer.count("\n"))
        n_written += 1
    return n_written


def _parse(block: Block, name: str) -> Sentence:
    comments, rows = split_comments(block, name)
    tokens = to_tokens(rows, block.line + len(comments), name)
    return Sentence(tokens, comments, block.leader, block.trailer, block.newline)
