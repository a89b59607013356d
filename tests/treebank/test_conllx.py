"""CoNLL-X: columns to their places, and its own errors."""

from __future__ import annotations

import io

import pytest

from pointree.errors import FormatError
from pointree.treebank.conllu import format_sentence
from pointree.treebank.conllx import read_conllx
from pointree.treebank.sentence import Sentence

TEN = "1\tNo\t_\tUH\tUH2\tf=g\t2\tdiscourse\t2\tdep\n2\tway\tway\tNN\tNNP\t_\t0\troot\t_\t_\n\n"
EIGHT = "1\tNo\t_\tUH\tUH2\tf=g\t2\tdiscourse\n2\tway\tway\tNN\tNNP\t_\t0\troot\n\n"


def read(text: str, **options: object) -> list[Sentence]:
    return list(read_conllx(io.StringIO(text, newline="\n"), name="x.conllx", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [TEN, EIGHT])
def test_columns(text: str) -> None:
    [sentence] = read(text)
    assert format_sentence(sentence) == (
        "1\tNo\t_\tUH\tUH2\tf=g\t2\tdiscourse\t_\t_\n2\tway\tway\tNN\tNNP\t_\t0\troot\t_\t_\n\n"
    )


def test_words_without_heads() -> None:
    [sentence] = read("1\tNo\t_\t_\t_\t_\t_\t_\n")
    assert sentence.heads == [None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tNo\t_\tUH\tUH\t_\t0\n", "1: expected 8 or 10 columns separated by tabs, found 7"),
        ("1\tNo\t_\tUH\tUH\t_\t7\troot\n", "1: HEAD 7 is outside a sentence of 1 word"),
        ("1\tNo\t\tUH\tUH\t_\t0\troot\n", "1: column 3 is empty: expected a value or _"),
        ("2\tNo\t_\tUH\tUH\t_\t0\troot\n", "1: expected id 1, found '2'"),
        (
            "1-2\tdu\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t_\t_\n2\tle\t_\t_\t_\t_\t_\t_\n",
            "1: CoNLL-X has words only, found id 1-2: is it CoNLL-U?",
        ),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value) == f"x.conllx:{message}"


def test_an_invalid_sentence_is_skipped() -> None:
    errors: list[FormatError] = []
    assert len(read(TEN + "1\ta\n\n" + EIGHT, on_invalid=errors.append)) == 2
    assert [error.line for error in errors] == [4]
