"""What `parse` reads: arguments told apart, formats guessed, streams read from their start."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pointree.errors import FormatError, InputError, ModelError, UsageError
from pointree.pipeline.inputs import Input, find_inputs, read_input, read_inputs
from pointree.text.pieces import InPieces
from pointree.text.udpipe import TextModel
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence

ROW = "1\tHello\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
CONLLU = ROW.replace("\n\n", "\n2\tworld" + "\t_" * 8 + "\n\n")
CONLLX = "1\tHello\t_\tUH\tUH\t_\t0\troot\n2\tworld\t_\tNN\tNN\t_\t1\tdep\n\n"


def no_text_model() -> TextModel:
    raise ModelError("this model cannot read raw text")


def read(source: Input, format_: str | None = None) -> list[Sentence]:
    """The sentences of a treebank; a guess that it is text fails."""
    return list(read_input(source, format_, no_text_model))


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Standard input, to be filled."""
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, encoding="ascii"))
    return data


def fill(stdin: io.BytesIO, text: str) -> None:
    stdin.write(text.encode())
    stdin.seek(0)


def test_files_globs_text_and_stdin_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.conllu", "a.conllu", "notes", "odd [1].txt"):
        Path(name).touch()
    Path("folder.conllu").mkdir()
    Path("deep").mkdir()
    Path("deep", "c.conllu").touch()
    assert find_inputs(["notes", "-", "What is it?", "Hello"]) == [
        Input("notes"),
        Input("-"),
        Input("<text>", "What is it?"),
        Input("<text>", "Hello"),
    ]
    assert find_inputs(["*.conllu"]) == [Input("a.conllu"), Input("b.conllu")]
    assert find_inputs(["**/*.conllu"]) == [Input(str(p)) for p in ("a.conllu", "b.conllu", Path("deep", "c.conllu"))]
    assert find_inputs(["odd [1].txt"]) == [Input("odd [1].txt")]


@pytest.mark.parametrize(
    "name", ["missing.conllu", "missing.conlu", "x/missing", "*.conllu", "text.gz", "a.md", "a.conll06"]
)
def test_what_looks_like_a_path_is_not_parsed_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        find_inputs([name])
    assert str(error.value) == f"{name}: no such file; to parse this as text, pipe it to standard input"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"^{tmp_path}: expected a file, found a directory$"):
        find_inputs([str(tmp_path)])


@pytest.mark.parametrize(
    "text", ["x" * 5_000, "a/b " * 2_000, "why? " * 2_000, "[", "**", "é" * 300, "No.", "U.S.A", "3.14"]
)
def test_any_text_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_inputs([text]) == [Input("<text>", text)]


def test_no_input_is_not_stdin() -> None:
    with pytest.raises(UsageError, match=r"^expected at least one input, found none$"):
        find_inputs([])


@pytest.mark.parametrize("start", ["", "\n\n", "# newdoc\n# text = Hello\n", "\ufeff# newdoc\n", "\ufeff"])
@pytest.mark.parametrize("block", [CONLLU, CONLLX], ids=["CoNLL-U", "CoNLL-X"])
def test_a_treebank_is_known_by_its_first_row(stdin: io.BytesIO, start: str, block: str) -> None:
    fill(stdin, start + block + block)
    assert [sentence.forms for sentence in read(Input("-"))] == [["Hello", "world"]] * 2


@pytest.mark.parametrize("text", ["Hello.\n", "# Title\n\nHello.\n", "a\tb\n", "# Title only\n"])
def test_all_else_is_text(stdin: io.BytesIO, text: str) -> None:
    fill(stdin, text)
    with pytest.raises(ModelError, match="cannot read raw text"):
        read(Input("-"))


@pytest.mark.parametrize("text", ["", "\n", "\n \n\n"])
def test_nothing_needs_no_text_model(stdin: io.BytesIO, text: str) -> None:
    fill(stdin, text)
    assert read(Input("-")) == []


def test_a_pipe_that_speaks_slowly_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """What there is at first may be a comment, or half a row."""
    read_end, write_end = os.pipe()
    monkeypatch.setattr(sys, "stdin", open(read_end, encoding="utf-8"))  # noqa: SIM115 - closed below

    def speak() -> None:
        for part in ("# sent_id = 1\n", "1\tHel", "lo" + "\t_" * 8 + "\n\n", ROW):
            os.write(write_end, part.encode())
            threading.Event().wait(0.02)
        os.close(write_end)

    speaker = threading.Thread(target=speak)
    speaker.start()
    found = read(Input("-"))
    speaker.join()
    sys.stdin.close()
    assert [sentence.forms for sentence in found] == [["Hello"], ["Hello"]]
    assert found[0].sent_id == "1"


def test_a_pipe_of_the_shell_is_a_file(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("the system has no named pipes")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    speaker = threading.Thread(target=path.write_text, args=(CONLLU,))
    speaker.start()
    [source] = find_inputs([str(path)])
    assert [sentence.forms for sentence in read(source)] == [["Hello", "world"]]
    speaker.join()


def test_a_stream_is_read_from_its_start_and_no_further_than_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            data = (ROW * (len(buffer) // len(ROW) + 1)).encode()[: len(ROW)]
            buffer[: len(data)] = data
            return len(data)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    sentences: Iterator[Sentence] = read_input(Input("-"), None, no_text_model)
    assert all(next(sentences).forms == ["Hello"] for _ in range(1000))
    sentences.close()  # type: ignore[attr-defined]


def test_names_decide_before_content(tmp_path: Path) -> None:
    """A treebank without a single good row is a damaged treebank, not text."""
    path = tmp_path / "broken.conllu"
    path.write_text("1 Hello _ _\n\n")
    with pytest.raises(FormatError, match=rf"^{path}:1: expected 10 columns"):
        read(Input(str(path)))


def test_gzip_is_unpacked(tmp_path: Path, ewt: Path) -> None:
    expected = list(read_conllu(ewt))
    for name in ("ewt.conllu.gz", "ewt"):
        (tmp_path / name).write_bytes(gzip.compress(ewt.read_bytes()))
        assert read(Input(str(tmp_path / name))) == expected
    (tmp_path / "ewt").write_bytes(gzip.compress(ewt.read_bytes())[:-200])
    with pytest.raises(InputError, match="ewt: the gzip file is truncated or damaged"):
        read(Input(str(tmp_path / "ewt")))


def test_a_named_format_is_not_questioned(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("Hello world\n")
    assert [sentence.forms for sentence in read(Input(str(path)), "words")] == [["Hello", "world"]]


def test_words_and_conllx_get_the_comments_of_valid_conllu_and_conllu_stays() -> None:
    def comments(text: str, format_: str) -> list[list[str]]:
        source = Input("<text>", text)
        return [sentence.comments for sentence in read_input(source, format_, no_text_model, prefix="2-")]

    first = ["# sent_id = 2-1", "# text = Hello world"]
    assert comments("Hello world\nYes\n", "words") == [first, ["# sent_id = 2-2", "# text = Yes"]]
    assert comments(CONLLX, "conllx") == [first]
    assert comments(CONLLU, "conllu") == [[]]
    assert comments("# newpar\n" + CONLLU, "conllu") == [["# newpar"]]


def test_text_goes_through_the_text_model(text_model: TextModel, tmp_path: Path, stdin: io.BytesIO) -> None:
    text = "The cat sat on the mat.\n\nIt slept."
    path = tmp_path / "cat.txt"
    path.write_text(text)
    fill(stdin, text)
    for source in (Input("<text>", text), Input(str(path)), Input("-")):
        first, second = read_input(source, None, lambda: text_model, prefix="2-")
        assert first.forms == ["The", "cat", "sat", "on", "the", "mat", "."]
        assert (first.sent_id, second.sent_id) == ("2-1", "2-2")


def test_bytes_of_the_command_line_that_are_not_utf8_are_told() -> None:
    argument = b"caf\xe9".decode("utf-8", "surrogateescape")
    with pytest.raises(FormatError, match=r"^<text>:1: expected Unicode text, found a lone U\+DCE9"):
        list(read_input(Input("<text>", argument), None, lambda: InPieces(None)))  # type: ignore[arg-type]


def test_file_names_that_are_not_utf8_can_be_written(tmp_path: Path) -> None:
    """They once ended the command with a traceback."""
    name = os.fsdecode(os.fsencode(tmp_path / "a") + b"\xff.conllu")
    Path(name).write_text("1\tIt\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    [sentence] = read_inputs([(1, Input(name))], None, lambda: pytest.fail("no text"), several=True)
    document = sentence.meta("newdoc id")
    assert document is not None
    assert document.encode().decode().endswith("a\ufffd.conllu")


def test_stdin_has_a_name_in_messages(stdin: io.BytesIO) -> None:
    fill(stdin, ROW.replace("1", "2", 1))
    with pytest.raises(FormatError, match=r"^<stdin>:1: expected id 1, found '2'$"):
        read(Input("-"))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed_standard_input_is_recognised(
    monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(pack(CONLLU.encode())))))  # type: ignore[arg-type]
    [sentence] = read(Input("-"))
    assert sentence.forms == ["Hello", "world"]
