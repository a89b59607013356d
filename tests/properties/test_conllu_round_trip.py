"""Any valid CoNLL-U file is written byte for byte as it was read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.errors import FormatError
from pointree.treebank.conllu import read_conllu, write_conllu

CHARACTERS = "\u2028\u2029\u0085\u00a0\u3000\x0b\x0c\x1c\x00\x7f\ufeff \r#_-.=|1aéß語😀e\u0301"
# A trailing CR is part of the line ending, not of the text.
TEXT = st.text(CHARACTERS, max_size=6).map(lambda text: text.rstrip("\r"))
COLUMN = st.just("_") | TEXT.map(lambda text: text or "_")


@st.composite
def rows(draw: st.DrawFn) -> list[str]:
    """The rows of a sentence with ranges, empty nodes, and any mixture of heads and `_`."""
    n_words = draw(st.integers(1, 6))
    lines: list[str] = []

    def add(id_: str, head: str) -> None:
        columns = [draw(COLUMN) for _ in range(8)]
        lines.append("\t".join([id_, *columns[:5], head, *columns[5:]]))

    covered = 0
    for word in range(n_words + 1):
        if word:
            heads = [str(head) for head in range(n_words + 1) if head != word]
            add(str(word), draw(st.sampled_from(["_", *heads])))
        for minor in range(1, draw(st.sampled_from([0, 0, 0, 1, 2])) + 1):
            add(f"{word}.{minor}", "_")
        if covered <= word < n_words and draw(st.booleans()):
            covered = draw(st.integers(word + 1, n_words))
            add(f"{word + 1}-{covered}", "_")
    return lines


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file of several sentences in any spacing that the format allows."""
    blank = st.sampled_from(["\n", "\r\n", " \n", "\t \r\n"])
    parts = [draw(st.sampled_from(["", "\ufeff"])), *draw(st.lists(blank, max_size=2))]
    n_sentences = draw(st.integers(0, 3))
    for number in range(n_sentences):
        newline = draw(st.sampled_from(["\n", "\r\n"]))
        comments = ["#" + draw(TEXT) for _ in range(draw(st.integers(0, 2)))]
        parts.append(newline.join([*comments, *draw(rows())]))
        if number < n_sentences - 1:
            parts += [newline, *draw(st.lists(blank, min_size=1, max_size=3))]
        else:
            parts += draw(st.sampled_from([[], [newline], [newline, newline], [newline, "\n", " "]]))
    return "".join(parts)


@given(files())
def test_generated_files(text: str) -> None:
    data = text.encode()
    sentences = list(read_conllu(io.BytesIO(data)))
    stream = io.StringIO(newline="")
    write_conllu(sentences, stream)
    if sentences:  # what surrounds no sentence has no place to be kept
        assert stream.getvalue().encode() == data


@given(st.binary() | st.text(st.sampled_from("12\t\n\r-._#a")).map(str.encode))
def test_anything_is_read_or_refused(data: bytes) -> None:
    errors: list[FormatError] = []
    sentences = list(read_conllu(io.BytesIO(data), on_invalid=errors.append))
    if sentences and not errors:
        stream = io.StringIO(newline="")
        write_conllu(sentences, stream)
        assert stream.getvalue().encode() == data


@pytest.mark.slow
def test_every_treebank_at_hand(shared_data: Path) -> None:
    paths = sorted(shared_data.glob("ud-2.6/*/*.conllu"))
    assert paths
    for path in paths:
        stream = io.StringIO(newline="")
        write_conllu(read_conllu(path), stream)
        # Compared outside the assertion: a difference of megabytes is not to be printed.
        same = stream.getvalue().encode() == path.read_bytes()
        assert same, path.name
