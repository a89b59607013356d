"""Whatever comes in, `pointree parse` answers with valid CoNLL-U or with one line and exit code 2."""

from __future__ import annotations

import io
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from pointree.cli.main import main
from pointree.errors import FormatError
from pointree.parser import Parser
from pointree.rendering import FORMATS
from pointree.text.udpipe import TextModel
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.validity import tree_faults

from .helpers import tiny_parser
from .text.test_reading import CORNER_CASES, random_texts

RUNS = 1_000
DAMAGE = (b"\t", b"\n", b"\r", b"_", b"\xff", b"9", b"-", b"")
CASES = {name: text for name, text in CORNER_CASES.items() if len(text) <= 50_000}
SHORT = {name: text for name, text in CASES.items() if len(text) < 10_000}


class Outcome(NamedTuple):
    """What a run of the command line left."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def parser(text_model: TextModel) -> Parser:
    """A network with random weights behind a trained tokeniser and tagger."""
    made = tiny_parser()
    made.text_model = text_model
    return made


@pytest.fixture
def run(parser: Parser, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `pointree parse` with these bytes on standard input.

    The model is loaded, and the description of the command line built, once for all runs: otherwise that would be
    most of what they do.
    """
    monkeypatch.setattr("pointree.ensemble.load_models", lambda *_, **__: parser)
    monkeypatch.setattr(typer.main, "get_command", cache(typer.main.get_command))

    def run_main(data: bytes, *options: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as left:
            main(["parse", "--fail-on-empty", *options])
        out, err = capfd.readouterr()
        return Outcome(int(left.value.code or 0), out, err)

    return run_main


def random_bytes(count: int) -> Iterator[bytes]:
    """Noise, noise that is UTF-8, texts of all planes of Unicode, and texts with a byte changed."""
    rng = random.Random(4)
    for number, text in enumerate(random_texts(count)):
        match number % 4:
            case 0:
                yield rng.randbytes(rng.randint(0, 60))
            case 1:
                yield rng.randbytes(rng.randint(0, 60)).decode("latin-1").encode()
            case 2:
                yield text.encode()
            case _:
                damaged = bytearray(text.encode() or b" ")
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
                yield bytes(damaged)


def is_one_line(outcome: Outcome) -> bool:
    """Whether a run told in one line why there is no tree; trees are then no part of its output."""
    if outcome.code == 0:
        return False
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("pointree: error: <stdin>:")
    assert outcome.err.endswith("\n")
    assert len(outcome.err.splitlines()) == 1
    return True


def check_trees(conllu: str) -> None:
    sentences = list(read_conllu(io.StringIO(conllu, newline="\n")))
    assert sentences
    for sentence in sentences:
        assert tree_faults(sentence.heads) == []


def validate(conllu: str, folder: Path) -> None:
    """Level 2 of the validator of Universal Dependencies, which is about the format and universal tags."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validation = pytest.importorskip("udtools.validator", reason="needs udtools")
        path = folder / "parsed.conllu"
        path.write_text(conllu, encoding="utf-8", newline="")
        report = io.StringIO()
        state = validation.Validator(lang="ud", level=2, output=report).validate_files([str(path)])
    assert state.passed(), report.getvalue()[:2000]


def numbered(conllu: str, number: int) -> str:
    """The output of one of several runs, so that all of them together have no `sent_id` twice."""
    return conllu.replace("# sent_id = ", f"# sent_id = {number}-")


@pytest.mark.slow
def test_a_thousand_random_byte_strings(run: Run, tmp_path: Path) -> None:
    parsed = []
    for number, data in enumerate(random_bytes(RUNS)):
        outcome = run(data)
        if not is_one_line(outcome):
            assert outcome.err == ""
            parsed.append(numbered(outcome.out, number))
    assert RUNS / 4 < len(parsed) < RUNS
    check_trees("".join(parsed))
    validate("".join(parsed), tmp_path)


@pytest.mark.slow
def test_corner_cases_of_unicode(run: Run, tmp_path: Path) -> None:
    parsed = {}
    for number, (name, text) in enumerate(CASES.items()):
        outcome = run(text.encode(), "--from", "text")
        assert is_one_line(outcome) == (not text.strip()), name
        parsed[name] = numbered(outcome.out, number)
    check_trees("".join(parsed.values()))
    validate("".join(parsed[name] for name in SHORT), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("format_", [format_ for format_ in FORMATS if format_ != "conllu"])
def test_corner_cases_can_be_drawn(run: Run, format_: str) -> None:
    for text in CASES.values():
        if text.strip():
            outcome = run(text.encode(), "--from", "text", "--to", format_)
            assert (outcome.code, outcome.err) == (0, "")
            assert outcome.out


@pytest.mark.slow
def test_texts_in_python(run: Run, parser: Parser) -> None:
    for text in [*SHORT.values(), *random_texts(100)]:
        conllu = "".join(map(format_sentence, parser.parse_text(text)))
        assert run(text.encode(), "--from", "text").out == conllu
    assert parser.parse_text(" \u2028 ") == []
    with pytest.raises(FormatError, match="expected Unicode text, found a lone U"):
        parser.parse_text("half a pair: \ud83d")


def test_damaged_treebanks(run: Run, ewt: Path) -> None:
    """Rows are kept as they are, so the trees are what must be right."""
    rng = random.Random(5)
    sentences = ewt.read_bytes().split(b"\n\n")[:-1]
    refused = 0
    for _ in range(200):
        damaged = bytearray(rng.choice(sentences) + b"\n\n")
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(damaged))
            damaged[place : place + rng.randint(0, 2)] = rng.choice(DAMAGE)
        outcome = run(bytes(damaged), "--from", "conllu")
        if is_one_line(outcome):
            refused += 1
        else:
            check_trees(outcome.out)
    assert 20 < refused < 200


def test_text_as_an_argument(run: Run) -> None:
    for name, text in SHORT.items():
        outcome = run(b"", "--", text)
        assert outcome.code in (0, 2), name
        assert outcome.code == 0 or len(outcome.err.splitlines()) == 1, name
