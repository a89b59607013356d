"""Rows: comments apart from tokens, and ids beyond the tables; every fault is in test_conllu."""

from __future__ import annotations

import pytest

from pointree.errors import FormatError
from pointree.treebank.blocks import Block
from pointree.treebank.rows import split_comments, to_tokens


def row(id_: int, head: int) -> str:
    return f"{id_}\ta\t_\t_\t_\t_\t{head}\t_\t_\t_"


def test_comments_are_split_from_rows() -> None:
    block = Block(1, ["# a", "#", row(1, 0)], "", "\n", "\n")
    assert split_comments(block, "x") == (["# a", "#"], [row(1, 0)])


@pytest.mark.parametrize("n_words", [998, 999, 1000, 1001, 2500])
def test_sentences_longer_than_the_tables(n_words: int) -> None:
    tokens = to_tokens([row(n, n_words if n < n_words else 0) for n in range(1, n_words + 1)], 1, "x")
    assert [token.id for token in tokens] == [str(n) for n in range(1, n_words + 1)]
    assert [token.head for token in tokens] == [n_words] * (n_words - 1) + [0]


def test_a_fault_in_a_long_sentence_has_its_line() -> None:
    rows = [row(n, 0) for n in range(1, 1501)]
    rows[1400] = row(1400, 0)
    with pytest.raises(FormatError, match=r"^x:1411: expected id 1401, found 1400 a second time$"):
        to_tokens(rows, 11, "x")
