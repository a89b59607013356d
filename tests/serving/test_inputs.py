"""Text of requests: cut into the sentences that the command line finds, and in pieces where that could take long."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pointree.text.reading import segment_text
from pointree.treebank.conllu import format_sentence, read_conllu

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")

if TYPE_CHECKING:
    from pointree.parser import Parser


def test_a_long_paragraph_has_the_sentences_of_the_command_line(parser: Parser, ewt: Path) -> None:
    from pointree.serving.inputs import from_text
    from pointree.serving.limits import Limits

    paragraph = " ".join(sentence.text for sentence in read_conllu(ewt))
    assert len(paragraph) > 5_000
    expected = segment_text(paragraph, parser.require_text_model())
    found = from_text(paragraph, parser, Limits())
    assert list(map(format_sentence, found)) == list(map(format_sentence, expected))


@pytest.mark.parametrize(("text", "is_usual"), [("word " * 5_000, True), ("雨" * 9_000, False), ("a" * 9_000, False)])
def test_text_without_usual_words_is_cut_into_small_pieces(
    parser: Parser, monkeypatch: pytest.MonkeyPatch, text: str, is_usual: bool
) -> None:
    from pointree.serving import inputs
    from pointree.serving.limits import Limits

    asked: list[int] = []
    monkeypatch.setattr(inputs, "segment_text", lambda _text, pieces, **_others: asked.append(pieces._max_piece) or [])
    assert list(inputs.from_text(text, parser, Limits())) == []
    assert (asked == [inputs.MAX_PIECE]) is is_usual


def test_blank_lines_without_end_are_refused() -> None:
    from pointree.serving.failures import RequestError
    from pointree.serving.inputs import from_conllu
    from pointree.serving.limits import Limits

    row = "1\ta" + "\t_" * 8 + "\n"
    assert len(list(from_conllu(row + "\n" * 4_000 + row, Limits()))) == 2
    for before in ("", row):
        with pytest.raises(RequestError, match="expected at most 4100 blank lines after each other") as caught:
            list(from_conllu(before + "\n" * 1_000_000, Limits()))
        assert (caught.value.status, caught.value.limit) == (413, ("blank_lines", 4_100))


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\u2003"])
def test_white_space_without_end_is_refused(space: str) -> None:
    """Four million line ends once kept the tokeniser, and everybody else, busy for many seconds."""
    from pointree.serving.failures import RequestError
    from pointree.serving.inputs import check_text
    from pointree.serving.limits import Limits

    usual = ("a" + space * 4_000) * 20
    assert check_text(usual, Limits()) == ["a"] * 20
    with pytest.raises(RequestError, match="expected at most 10000 characters of white space") as caught:
        check_text(usual + space * 10_001 + "a", Limits())
    assert (caught.value.status, caught.value.limit) == (413, ("white_space", 10_000))


def test_much_white_space_is_looked_at_once() -> None:
    """A hundred runs that are just short enough once took seconds of everybody's time, since each was searched from
    each of its characters on."""
    from pointree.serving.inputs import check_text
    from pointree.serving.limits import Limits

    start = time.thread_time()
    assert check_text(("a" + " " * 10_000) * 300, Limits()) == ["a"] * 300
    assert time.thread_time() - start < 1


@pytest.mark.parametrize("kind", ["vertical", "horizontal"])
def test_reading_blank_lines_pauses(kind: str) -> None:
    from pointree.serving.limits import Limits
    from pointree.serving.udpipe_formats import read_udpipe

    assert list(read_udpipe("\n" * 10_000, kind, Limits())) == [None] * 10
