"""The rows of a sentence, checked: columns, ids in sequence, ranges, empty nodes, and heads inside it."""

from __future__ import annotations

import re

from pointree.errors import FormatError
from pointree.treebank.blocks import Block
from pointree.treebank.sentence import Token

__all__ = ["split_comments", "to_tokens"]

_COLUMNS = 10

# Tables for sentences of usual length: a look-up costs a fraction of int() and str(), and the ids of all
# sentences share their strings.
_IDS = [str(number) for number in range(1000)]
_LAST_ID = len(_IDS) - 1
_HEADS: dict[str, int | None] = {"_": None, **{text: number for number, text in enumerate(_IDS)}}

# Nine digits are more than any sentence has words.
_INTEGER = re.compile(r"0|[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(?:0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")


def split_comments(block: Block, name: str) -> tuple[list[str], list[str]]:
    """The comments at the start of a block, and its rows."""
    rows = block.rows
    n_comments = 0
    for row in rows:
        if not row.startswith("#"):
            return rows[:n_comments], rows[n_comments:]
        n_comments += 1
    raise FormatError(name, block.line + n_comments, "expected a word after the comments, found none")


def to_tokens(rows: list[str], line: int, name: str) -> list[Token]:
    """The tokens of these rows, of which the first has number `line` in file `name`.

    This is the hot loop of reading: what is usual takes a few table look-ups, and what is not leaves for a
    function that finds out whether it is rare or wrong.
    """
    tokens: list[Token] = []
    append = tokens.append
    others = _OtherIds()
    n_words = 0
    expected_id = "1"
    for row in rows:
        try:
            id_, form, lemma, upos, xpos, feats, head_text, deprel, deps, misc = row.split("\t")
        except ValueError:
            raise FormatError(name, line + len(tokens), _wrong_width(row)) from None
        if not (form and lemma and upos and xpos and feats and deprel and deps and misc):
            raise FormatError(name, line + len(tokens), _empty_column(row))
        if id_ == expected_id:
            if head_text == id_:
                raise FormatError(name, line + len(tokens), f"word {id_} is its own head")
            try:
                head = _HEADS[head_text]
            except KeyError:
                head = _unusual_head(head_text, name, line + len(tokens))
            n_words += 1
            expected_id = _IDS[n_words + 1] if n_words < _LAST_ID else str(n_words + 1)
        else:
            problem = others.problem(id_, n_words) or _head_of_no_word(id_, head_text)
            if problem:
                raise FormatError(name, line + len(tokens), problem)
            head = None
        append(Token(id_, form, lemma, upos, xpos, feats, head, deprel, deps, misc))
    if n_words == 0:
        raise FormatError(name, line, "expected a word, found none")
    _check_ends(tokens, n_words, others.covered, line, name)
    return tokens


def _check_ends(tokens: list[Token], n_words: int, covered: int, line: int, name: str) -> None:
    """Check what needs the length of the sentence: heads and ranges stay inside it."""
    for number, token in enumerate(tokens, line):
        head = token.head
        if head is not None and head > n_words:
            raise FormatError(name, number, f"HEAD {head} is outside a sentence of {_words(n_words)}")
    if covered > n_words:
        number, last = max((i, token.id) for i, token in enumerate(tokens, line) if token.is_range)
        raise FormatError(name, number, f"range {last} is outside a sentence of {_words(n_words)}")


class _OtherIds:
    """Follows the ids that are not the next word: ranges without overlap, empty nodes in sequence."""

    __slots__ = ("_after", "_minor", "_open_range", "covered")

    def __init__(self) -> None:
        self.covered = 0
        self._open_range: tuple[int, str] | None = None
        self._after = -1
        self._minor = 0

    def problem(self, id_: str, n_words: int) -> str | None:
        """What is wrong with a row of this id after `n_words` words, if anything."""
        if self._open_range is not None and self._open_range[0] == n_words:
            return f"expected id {n_words + 1} after range {self._open_range[1]}, found {_shown(id_)}"
        if match := _RANGE.fullmatch(id_):
            return self._range_problem(id_, int(match[1]), int(match[2]), n_words)
        if match := _EMPTY_NODE.fullmatch(id_):
            return self._empty_node_problem(id_, int(match[1]), n_words)
        if _INTEGER.fullmatch(id_) and 1 <= int(id_) <= n_words:
            return f"expected id {n_words + 1}, found {id_} a second time"
        if id_.startswith("#"):
            return "expected a row, found a comment: comments stand before the first word"
        return f"expected id {n_words + 1}, found {_shown(id_)}"

    def _range_problem(self, id_: str, start: int, end: int, n_words: int) -> str | None:
        if end < start:
            return f"range {id_} ends before it starts"
        if start <= self.covered:
            return f"range {id_} overlaps the range before it, which ends at {self.covered}"
        if start != n_words + 1:
            return f"expected a range that starts at {n_words + 1}, found {id_}"
        self.covered = end
        self._open_range = (n_words, id_)
        return None

    def _empty_node_problem(self, id_: str, minor: int, n_words: int) -> str | None:
        if self._after != n_words:
            self._after, self._minor = n_words, 0
        expected = f"{n_words}.{self._minor + 1}"
        if id_ != expected:
            return f"expected the empty node {expected}, found {id_}"
        self._minor = minor
        return None


def _unusual_head(text: str, name: str, line: int) -> int:
    """A head that the table does not hold."""
    if not _INTEGER.fullmatch(text):
        raise FormatError(name, line, f"HEAD must be a word number, 0 or _, found {_shown(text)}")
    return int(text)


def _head_of_no_word(id_: str, head: str) -> str | None:
    if head == "_":
        return None
    return f"HEAD of {'range' if '-' in id_ else 'empty node'} {id_} must be _, found {_shown(head)}"


def _empty_column(row: str) -> str:
    column = row.split("\t").index("") + 1
    return f"column {column} is empty: expected a value or _"


def _wrong_width(row: str) -> str:
    if row.startswith("#"):
        return "expected a row, found a comment: comments stand before the first word"
    found = row.count("\t") + 1
    problem = f"expected {_COLUMNS} columns separated by tabs, found {found}"
    if found < _COLUMNS and len(row.split()) >= _COLUMNS:
        problem += " (the line seems to be separated by spaces)"
    return problem


def _words(number: int) -> str:
    return "1 word" if number == 1 else f"{number} words"


def _shown(value: str, most: int = 40) -> str:
    return repr(value if len(value) <= most else value[:most] + "…")
