"""Formats: told apart by their first rows, and read by name."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pointree.errors import FormatError, InputError, UsageError
from pointree.treebank.formats import guess_format, read_all, read_treebank

CONLLU = "# text = a\n1\ta\t_\tX\tY\t_\t0\troot\t0:root\t_\n\n"
CONLLX = "1\ta\t_\tX\tY\t_\t0\troot\t0\troot\n\n"
CONLLX_8 = "1\ta\t_\tX\tY\t_\t0\troot\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CONLLU, "conllu"),
        (CONLLX, "conllx"),
        (CONLLX_8, "conllx"),
        (CONLLX_8.replace("\n", "\r\n"), "conllx"),
        ("\ufeff" + CONLLX_8, "conllx"),
        ("1\ta\t_\tX\tY\t_\t0\troot\t_\t_\n" + CONLLX, "conllx"),
        ("", "conllu"),
        ("some words\n", "conllu"),
    ],
)
def test_guess(text: str, expected: str) -> None:
    assert guess_format(text.splitlines(keepends=True)) == expected


def test_a_byte_order_mark_does_not_hide_the_format() -> None:
    [first, second] = read_treebank(io.BytesIO(("\ufeff" + CONLLX_8 + CONLLX_8).encode()))
    assert first.words == second.words


@pytest.mark.parametrize("text", [CONLLU, CONLLX, CONLLX_8, "\n\n" + CONLLX])
def test_a_treebank_is_read_whichever_its_format(text: str) -> None:
    [first, second] = read_treebank(io.StringIO(text + text))
    assert first.words == second.words or text == CONLLU
    assert [(word.form, word.upos, word.xpos, word.head) for word in first.words] == [("a", "X", "Y", 0)]
    assert first.words[0].deps == ("0:root" if text == CONLLU else "_")


def test_a_named_format() -> None:
    [sentence] = read_treebank(io.StringIO("a b"), format="words")
    assert sentence.forms == ["a", "b"]
    [sentence] = read_treebank(io.StringIO(CONLLX), format="conllu")
    assert sentence.words[0].deps == "0"


def test_an_unknown_format() -> None:
    with pytest.raises(UsageError, match=r"^format: expected one of conllu, conllx, words, found 'csv'$"):
        read_treebank(io.StringIO(), format="csv")  # type: ignore[arg-type]


def test_faults_have_their_place_after_guessing() -> None:
    errors: list[FormatError] = []
    text = CONLLX + "1\ta\n\n" + CONLLX
    assert len(list(read_treebank(io.StringIO(text), name="x", on_invalid=errors.append))) == 2
    assert [str(error) for error in errors] == ["x:3: expected 8 or 10 columns separated by tabs, found 2"]


def test_read_all(ewt: Path) -> None:
    assert len(read_all(ewt)) == 60


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_sentences(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.conllu: no sentences found$"):
        read_all(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.conllu: no such file$"):
        read_all(tmp_path / "x.conllu")


def test_a_typed_stream_does_not_wait_for_a_second_sentence() -> None:
    def typed() -> object:
        yield from CONLLU.splitlines(keepends=True)
        yield from CONLLU.splitlines(keepends=True)
        pytest.fail("read ahead of the second sentence")

    assert next(read_treebank(typed())).forms == ["a"]  # type: ignore[arg-type]
