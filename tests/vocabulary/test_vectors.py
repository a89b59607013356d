"""Word vectors: the three text formats, odd words, and every way a file can be wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from pointree.errors import FormatError, InputError
from pointree.vocabulary.vectors import Vectors, read_vectors


def write(tmp_path: Path, content: str | bytes, name: str = "x.vec") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "2 3\nthe 0.5 -1 2e-1\ncat 1 2 3\n",
        "2 3\nthe 0.5 -1 2e-1 \ncat 1 2 3 \n",
        "the 0.5 -1 2e-1\ncat 1 2 3",
        "the\t0.5\t-1\t2e-1\r\ncat\t1\t2\t3\r\n\r\n",
        "\ufeffthe 0.5 -1 2e-1\ncat 1 2 3",
    ],
    ids=["word2vec", "fastText", "GloVe", "tabs", "byte-order mark"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_formats(tmp_path: Path, content: str, packed: bool) -> None:
    data = content.encode()
    vectors = read_vectors(write(tmp_path, gzip.compress(data) if packed else data), expected_size=3)
    assert vectors.words == ["the", "cat"]
    assert vectors.size == 3
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(vectors.matrix, np.float32([[0.5, -1, 0.2], [1, 2, 3]]))


def test_odd_words(tmp_path: Path) -> None:
    words = ["a", "new york", ". . .", "b\u00a0c", "\u3000", "\u0085", "x\u2028y", "5", "1 2"]
    vectors = read_vectors(write(tmp_path, "".join(f"{word} 0.5 1.5\n" for word in words)))
    assert vectors.words == words
    assert vectors.matrix.shape == (9, 2)


def test_bytes_that_are_not_utf8_are_replaced(tmp_path: Path) -> None:
    assert read_vectors(write(tmp_path, b"a 1 2\ncaf\xe9 1 2\n")).words == ["a", "caf\ufffd"]


def test_the_first_of_two_counts(tmp_path: Path) -> None:
    vectors = read_vectors(write(tmp_path, "3 1\na 1\nb 2\na 3\n"))
    assert vectors.words == ["a", "b"]
    assert vectors.matrix.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2 3\nb 1 2\n", ":2: expected a word and 3 numbers, found 2"),
        ("2 3\na 1 2 3\nb 1\n", ":3: expected a word and 3 numbers, found 1"),
        ("a 1.5 2.5\nb 1.5 2.5 3.5 4.5\n", ":2: expected a word and 2 numbers, found 4"),
        ("a 1 2\nb 1 two\n", ":2: expected a number, found 'two'"),
        ("word\n", ":1: expected a word and its numbers, found 'word'"),
        (
            "3 2\na 1 2\nb 1 2\n",
            ": the header announces 3 words, found 2: the file is cut off, or its first line",
        ),
        (
            "1 2\na 1 2\nb 1 2\n",
            ": the header announces 1 words, found 2: the file is cut off, or its first line",
        ),
        ("0 2\n", ": no vectors found"),
        ("", ": expected word vectors, found an empty file"),
        ("\n", ": expected word vectors, found a blank line"),
        ("a 1 2\nb nan 2\n", ": the vector of 'b' is not finite"),
        ("a 1 2\nb 1e99 2\n", ": the vector of 'b' is not finite"),
    ],
)
def test_bad_files(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_vectors(path)
    assert str(caught.value).startswith(f"{path}{message}")
    assert isinstance(caught.value, FormatError) == message[1].isdigit()


@pytest.mark.parametrize("content", ["1 3\na 1 2 3\n", "a 1 2 3\n"])
def test_another_width_than_expected(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"x\.vec: expected vectors of width 100 \(embeddings\.word_size\), found 3$"):
        read_vectors(write(tmp_path, content), expected_size=100)


def test_a_truncated_gzip_file(tmp_path: Path) -> None:
    lines = "".join(f"w{n} {n * 0.37:.5f} {n * 0.77:.5f}\n" for n in range(2000))
    path = write(tmp_path, gzip.compress(lines.encode())[:-2000], "x.vec.gz")
    with pytest.raises(InputError, match=r"x\.vec\.gz: the gzip file is truncated or damaged"):
        read_vectors(path)


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a file, found a directory$"):
        read_vectors(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.vec: no such file$"):
        read_vectors(tmp_path / "x.vec")


@pytest.mark.slow
def test_real_vectors(shared_data: Path) -> None:
    vectors = read_vectors(shared_data / "vectors" / "tr.sadedegel.100d.vec.gz", expected_size=100)
    assert isinstance(vectors, Vectors)
    assert len(vectors.words) == 64758
    assert vectors.words[0] == "bir"
