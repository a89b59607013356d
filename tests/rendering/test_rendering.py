"""The registry of formats."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings

import pointree
from pointree.errors import InputError, UsageError
from pointree.rendering import FORMATS, render, write
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.sentence import Sentence

from .samples import JOHN, RICH, sentences


def test_the_formats_are_those_of_the_command_line() -> None:
    assert list(FORMATS) == ["conllu", "json", "jsonl", "svg", "table", "tikz", "tree"]
    assert all(entry.description for entry in FORMATS.values())


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25)  # the tests of each format try more
@given(sentence=sentences())
def test_every_format_writes_any_sentence(name: str, sentence: Sentence) -> None:
    assert render(sentence, name) == render([sentence], name)
    if name != "conllu":  # which repeats what it is given
        render(sentence, name, colour=True).encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_nothing_and_an_empty_sentence(name: str) -> None:
    render([], name)
    render(Sentence([]), name)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"svg"}))
def test_formats_take_sentences_one_at_a_time(name: str) -> None:
    stream = StringIO()
    before: list[str] = []

    def source() -> object:
        yield JOHN
        before.append(stream.getvalue())
        yield RICH

    write(source(), stream, name)  # type: ignore[arg-type]
    assert "tennis" in before[0]


def test_conllu_is_written_as_it_was_read(ewt: Path) -> None:
    assert render(read_conllu(ewt), "conllu") == ewt.read_text(encoding="utf-8")
    assert render(RICH, "conllu") == format_sentence(RICH)


def test_conllu_of_several_files_has_a_blank_line_between_them() -> None:
    row = "1\tI\t_\t_\t_\t_\t0\troot\t_\t_\n"
    files = [row, "\ufeff" + row]  # one lacks the blank line at its end, the other has a byte-order mark
    read = [sentence for file in files for sentence in read_conllu(StringIO(file))]
    assert render(read, "conllu") == row + "\n" + row
    assert render([read[0], read[0]], "conllu") == row + "\n" + row


def test_formats_write_nothing_when_there_turns_out_to_be_nothing_to_read() -> None:
    def source() -> Iterator[Sentence]:
        raise InputError("x: no sentences found")
        yield JOHN

    for name in FORMATS:
        stream = StringIO()
        with pytest.raises(InputError):
            write(source(), stream, name)
        assert stream.getvalue() == ""


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(
        UsageError, match="format: expected one of conllu, json, jsonl, svg, table, tikz, tree, found 'png'"
    ):
        render(JOHN, "png")


def test_importing_the_registry_imports_no_format() -> None:
    code = (
        "import sys, pointree.rendering\n"
        "layers = ('pointree.rendering.', 'pointree.treebank.')\n"
        "sys.exit(', '.join(name for name in sys.modules if name.startswith(layers)) or None)"
    )
    env = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
