"""CoNLL-U: lossless in and out, one clear error for each fault, and reading on after it."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointree.errors import FormatError, InputError
from pointree.treebank.blocks import MAX_LINES
from pointree.treebank.conllu import format_sentence, read_conllu, write_conllu
from pointree.treebank.sentence import Sentence, Token


def row(id_: str, head: str = "_", form: str = "a", misc: str = "_") -> str:
    return f"{id_}\t{form}\t_\t_\t_\t_\t{head}\t_\t_\t{misc}\n"


def read(text: str | bytes, **options: object) -> list[Sentence]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_conllu(io.BytesIO(data), name="x.conllu", **options))  # type: ignore[arg-type]


def round_trip(text: str) -> str:
    stream = io.StringIO(newline="")
    write_conllu(read(text), stream)
    return stream.getvalue()


def problem(text: str | bytes) -> str:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_all_columns_are_read() -> None:
    text = "# text = Dogs\n1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t0\troot\t0:root\tSpaceAfter=No\n\n"
    [sentence] = read(text)
    [token] = sentence.tokens
    values = [getattr(token, name) for name in token.__slots__[:10]]
    assert values == ["1", "Dogs", "dog", "NOUN", "NNS", "Number=Plur", 0, "root", "0:root", "SpaceAfter=No"]
    assert sentence.comments == ["# text = Dogs"]
    assert format_sentence(sentence) == text


WORD = row("1", "0")
LOSSLESS = {
    "plain": WORD + "\n",
    "two sentences": WORD + "\n" + WORD + "\n",
    "no blank line at the end": WORD,
    "no line end at the end": WORD.rstrip("\n"),
    "several blank lines": "\n\n" + WORD + "\n\n\n" + WORD + "\n\n\n",
    "blank lines of spaces": WORD + " \t \n" + WORD + "  ",
    "CRLF": (WORD + "\n" + WORD + "\n").replace("\n", "\r\n"),
    "CRLF without an end": ("# c\n" + WORD).replace("\n", "\r\n").rstrip("\r\n"),
    "CRLF cut in the middle": ("# c\n" + WORD).replace("\n", "\r\n").rstrip("\n"),
    "CRLF with a blank LF": WORD.replace("\n", "\r\n") + "\n" + WORD + "\r\n",
    "lone CR": row("1", form="a\rb") + "\n",
    "CR before CRLF": WORD.replace("\n", "\r\r\n") + "\r\n",
    "byte-order mark": "\ufeff" + WORD + "\n",
    "byte-order mark on a line of its own": "\ufeff\n" + WORD + "\n",
    "comments": "#\n# a\t\tb \n#c=d\n" + WORD + "\n",
    "ranges and empty nodes": row("0.1") + row("1-2") + row("1", "2") + row("2", "0") + row("2.1") + row("2.2") + "\n",
    "a range of one": row("1-1") + WORD + "\n",
    "odd spaces": row("1", "0", form=" a b\u00a0", misc="_ ") + row("2", form="\u2028\u0085\x0b\x0c\x1c") + "\n",
    "NUL": row("1", form="\x00") + "\n",
    "no heads": row("1") + row("2", "1") + "\n",
    "long": "".join(row(str(n), str(n - 1)) for n in range(1, 1200)) + "\n",
}


@pytest.mark.parametrize("text", LOSSLESS.values(), ids=LOSSLESS.keys())
def test_writing_what_was_read_is_lossless(text: str) -> None:
    assert round_trip(text) == text


@pytest.mark.parametrize("text", LOSSLESS.values(), ids=LOSSLESS.keys())
def test_text_streams_read_like_bytes(text: str) -> None:
    assert list(read_conllu(io.StringIO(text, newline="\n"))) == read(text)


def test_white_space_is_kept_beside_the_sentence() -> None:
    first, second = read("\ufeff\n" + WORD + "\n\n" + WORD.replace("\n", "\r\n"))
    assert (first.leader, first.trailer, first.newline) == ("\ufeff\n", "\n\n\n", "\n")
    assert (second.leader, second.trailer, second.newline) == ("", "\r\n", "\r\n")
    assert second.tokens[0].misc == "_"


def test_a_path_plain_or_packed(tmp_path: Path, ewt: Path) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(ewt.read_bytes()))
    plain = list(read_conllu(ewt))
    assert len(plain) == 60
    assert list(read_conllu(tmp_path / "x.gz")) == plain
    stream = io.StringIO(newline="")
    assert write_conllu(plain, stream) == 60
    assert stream.getvalue().encode() == ewt.read_bytes()


@pytest.mark.parametrize("text", ["", "\n", " \n\n", "\ufeff", "\ufeff\n"])
def test_a_stream_without_sentences_is_empty(text: str) -> None:
    assert read(text) == []


SPACES = "1 a _ _ _ _ 0 _ _ _\n"
FAULTS = {
    "too few columns": (WORD + "2\ta\t_\n", "2: expected 10 columns separated by tabs, found 3"),
    "too many columns": ("1" + "\ta" * 10, "1: expected 10 columns separated by tabs, found 11"),
    "spaces": (
        SPACES,
        "1: expected 10 columns separated by tabs, found 1 (the line seems to be separated by spaces)",
    ),
    "empty column": (row("1", form=""), "1: column 2 is empty: expected a value or _"),
    "empty last column": (row("1", misc=""), "1: column 10 is empty: expected a value or _"),
    "empty id": (row(""), "1: expected id 1, found ''"),
    "empty head": (row("1", ""), "1: HEAD must be a word number, 0 or _, found ''"),
    "start": (row("2"), "1: expected id 1, found '2'"),
    "zero": (row("0"), "1: expected id 1, found '0'"),
    "duplicate": (row("1") + row("2") + row("1"), "3: expected id 3, found 1 a second time"),
    "gap": (row("1") + row("3"), "2: expected id 2, found '3'"),
    "not a number": (row("x"), "1: expected id 1, found 'x'"),
    "leading zero": (row("01"), "1: expected id 1, found '01'"),
    "Arabic digit": (row("١"), "1: expected id 1, found '١'"),
    "reversed range": (row("1") + row("2-1"), "2: range 2-1 ends before it starts"),
    "late range": (row("1") + row("1-2"), "2: expected a range that starts at 2, found 1-2"),
    "early range": (row("2-3"), "1: expected a range that starts at 1, found 2-3"),
    "overlapping ranges": (
        row("1-2") + row("1") + row("2-3") + row("2"),
        "3: range 2-3 overlaps the range before it, which ends at 2",
    ),
    "two ranges in a row": (row("1-2") + row("1-3"), "2: expected id 1 after range 1-2, found '1-3'"),
    "range outside": (row("1-3") + row("1") + row("2"), "1: range 1-3 is outside a sentence of 2 words"),
    "range with a head": (row("1-2", "0"), "1: HEAD of range 1-2 must be _, found '0'"),
    "empty node with a head": (row("1") + row("1.1", "1"), "2: HEAD of empty node 1.1 must be _, found '1'"),
    "empty node elsewhere": (row("1") + row("2.1"), "2: expected the empty node 1.1, found 2.1"),
    "empty node repeated": (
        row("1") + row("1.1") + row("1.1"),
        "3: expected the empty node 1.2, found 1.1",
    ),
    "empty node skipped": (row("1") + row("1.2"), "2: expected the empty node 1.1, found 1.2"),
    "empty node of an earlier word": (
        row("1") + row("1.1") + row("2") + row("1.2"),
        "4: expected the empty node 2.1, found 1.2",
    ),
    "head not a number": (row("1", "x"), "1: HEAD must be a word number, 0 or _, found 'x'"),
    "negative head": (row("1", "-1"), "1: HEAD must be a word number, 0 or _, found '-1'"),
    "head with a zero": (row("1", "00"), "1: HEAD must be a word number, 0 or _, found '00'"),
    "head with a space": (row("1", "0 "), "1: HEAD must be a word number, 0 or _, found '0 '"),
    "head outside": (row("1", "0") + row("2", "9"), "2: HEAD 9 is outside a sentence of 2 words"),
    "head just outside": (row("1", "2"), "1: HEAD 2 is outside a sentence of 1 word"),
    "head outside beside a range": (
        row("1-2") + row("1", "3") + row("2"),
        "2: HEAD 3 is outside a sentence of 2 words",
    ),
    "large head": (row("1", "5000"), "1: HEAD 5000 is outside a sentence of 1 word"),
    "huge head": (row("1", "9" * 5000), f"1: HEAD must be a word number, 0 or _, found '{'9' * 40}…'"),
    "huge id": (row("9" * 5000), f"1: expected id 1, found '{'9' * 40}…'"),
    "huge range": (row("1-" + "9" * 5000), f"1: expected id 1, found '1-{'9' * 38}…'"),
    "own head": (row("1", "0") + row("2", "2"), "2: word 2 is its own head"),
    "comment inside": (
        row("1") + "# c\n" + row("2"),
        "2: expected a row, found a comment: comments stand before the first word",
    ),
    "comment with tabs inside": (
        row("1") + "#" + "\tc" * 9 + "\n",
        "2: expected a row, found a comment: comments stand before the first word",
    ),
    "comments alone": ("# a\n# b\n\n", "3: expected a word after the comments, found none"),
    "empty nodes alone": ("# a\n" + row("0.1"), "2: expected a word, found none"),
    "CRLF after LF": (
        row("1") + row("2").replace("\n", "\r\n"),
        "2: expected the line ending LF, found CRLF",
    ),
    "LF after CRLF": ("# c\r\n" + row("1") + row("2"), "2: expected the line ending CRLF, found LF"),
    "second sentence": (WORD + "\n\n" + row("2"), "4: expected id 1, found '2'"),
    "after a comment": ("# c\n" + row("1", "9"), "2: HEAD 9 is outside a sentence of 1 word"),
    "after blank lines": ("\ufeff\n \n" + row("2"), "3: expected id 1, found '2'"),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(text: str, message: str) -> None:
    assert problem(text) == f"x.conllu:{message}"


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_an_invalid_sentence_is_skipped(text: str, message: str) -> None:
    errors: list[FormatError] = []
    good = row("1", "0", form="good") + "\n"
    sentences = read(good + text.lstrip("\ufeff").rstrip("\n") + "\n\n" + good, on_invalid=errors.append)
    assert [sentence.forms for sentence in sentences if sentence.forms == ["good"]] == [["good"], ["good"]]
    line, _, rest = message.partition(":")
    assert [(error.line, error.problem) for error in errors] == [(int(line) + 2, rest.strip())]
    assert errors[0].source == "x.conllu"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"# caf\xe9\n", "1: byte 0xe9 at column 6 is not UTF-8"),
        (b"# \xc3\xa9\n1\t\xc3\xa9\xff\n", "2: byte 0xff at column 4 is not UTF-8"),
        (b"\n1\ta\xc3\n", "2: byte 0xc3 at column 4 is not UTF-8"),
        (b"\xff\xfe1\x00", "1: byte 0xff at column 1 is not UTF-8"),
        (b"# \xed\xa0\x80\n", "1: byte 0xed at column 3 is not UTF-8"),
    ],
)
def test_bytes_that_are_not_utf8(data: bytes, message: str) -> None:
    assert problem(data) == f"x.conllu:{message}"


def test_the_rest_survives_bytes_that_are_not_utf8() -> None:
    errors: list[FormatError] = []
    good = WORD.encode() + b"\n"
    sentences = read(good + WORD.encode() + b"2\t\xff\n\n" + good, on_invalid=errors.append)
    assert len(sentences) == 2
    assert [str(error) for error in errors] == ["x.conllu:4: byte 0xff at column 3 is not UTF-8"]


def test_a_line_of_other_white_space_is_no_blank_line_in_text_either() -> None:
    text = WORD + "\u00a0\n"
    for source in (io.StringIO(text, newline="\n"), io.BytesIO(text.encode())):
        with pytest.raises(FormatError, match=r"<input>:2: "):
            list(read_conllu(source))


def test_a_lone_surrogate_in_a_text_stream() -> None:
    with pytest.raises(FormatError, match=r"^<input>:1: byte 0xed at column 3 is not UTF-8$"):
        list(read_conllu(io.StringIO("# \ud800\n")))


def test_sentences_before_the_fault_are_read() -> None:
    sentences = read_conllu(io.StringIO(WORD + "\n" + row("7")))
    assert next(sentences).forms == ["a"]
    with pytest.raises(FormatError):
        next(sentences)


def test_names_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(row("7"))
    with pytest.raises(FormatError, match=r"bad\.conllu:1: ") as caught:
        list(read_conllu(path))
    assert caught.value.source == str(path)
    with open(path, "rb") as stream, pytest.raises(FormatError, match=r"bad\.conllu:1: "):
        list(read_conllu(stream))


def test_a_directory_a_missing_file_and_a_truncated_one(tmp_path: Path, ewt: Path) -> None:
    with pytest.raises(InputError, match=r"expected a file, found a directory$"):
        list(read_conllu(tmp_path))
    with pytest.raises(InputError, match=r"no such file$"):
        list(read_conllu(tmp_path / "gone"))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(ewt.read_bytes())[:5000])
    with pytest.raises(InputError, match=r"cut\.gz: the gzip file is truncated or damaged"):
        list(read_conllu(tmp_path / "cut.gz"))


@pytest.mark.slow
def test_a_file_without_blank_lines_ends_at_a_limit() -> None:
    def lines() -> Iterator[str]:
        yield from (row(str(number)) for number in range(1, MAX_LINES + 10))
        yield "\n"
        yield row("2")

    errors: list[FormatError] = []
    assert list(read_conllu(lines(), name="x", on_invalid=errors.append)) == []
    assert [str(error) for error in errors] == [
        f"x:1: expected a blank line within {MAX_LINES} lines",
        f"x:{MAX_LINES + 11}: expected id 1, found '2'",
    ]


def test_memory_does_not_grow_with_the_file() -> None:
    def lines(n_sentences: int) -> Iterator[str]:
        for _ in range(n_sentences):
            yield from (row(str(number), "0") for number in range(1, 21))
            yield "\n"

    def peak(n_sentences: int) -> int:
        tracemalloc.start()
        for _ in read_conllu(lines(n_sentences)):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(2000) < 2 * peak(20)


def test_sentences_of_several_files_are_kept_apart() -> None:
    unfinished = read(WORD.rstrip("\n"))
    marked = read("\ufeff" + WORD.replace("\n", "\r\n"))
    stream = io.StringIO(newline="")
    assert write_conllu([*unfinished, *marked, *unfinished], stream) == 3
    crlf = WORD.replace("\n", "\r\n")
    assert stream.getvalue() == WORD + "\n" + crlf + "\r\n" + WORD.rstrip("\n")


def test_new_sentences_end_with_a_blank_line() -> None:
    assert format_sentence(Sentence.from_words(["a"])) == row("1") + "\n"


def test_tokens_of_raw_text_have_their_range_in_misc() -> None:
    rows = [("1-2", "del", "SpaceAfter=No", 0), ("1", "de", "_", 0), ("2", "el", "_", 0), ("3", ".", "_", 3)]
    tokens = [Token(id_, form, misc=misc, start=start, end=start + 3) for id_, form, misc, start in rows]
    sentence = Sentence(tokens, start=0, end=6)
    miscs = [line.split("\t")[9] for line in format_sentence(sentence).split("\n")[:4]]
    assert miscs == ["SpaceAfter=No|TokenRange=0:3", "_", "_", "TokenRange=3:6"]
    assert "TokenRange" not in format_sentence(sentence, ranges=False)
    assert sentence.copy().tokens[0].end == 3
    assert format_sentence(sentence.copy()) == format_sentence(sentence)
