"""The program as its users meet it: whole processes, pipes and kills, and the same through Python."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pointree
from pointree.parser import Parser
from pointree.treebank.conllu import format_sentence, read_conllu
from pointree.treebank.validity import tree_faults

from .conftest import SMALL, Outcome

Run = Callable[..., Outcome]

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1]), "OMP_NUM_THREADS": "1"}


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "pointree", *map(str, args)]


def test_a_model_scores_as_the_file_that_it_wrote(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    parsed = tmp_path / "parsed.conllu"
    assert run("parse", ewt, "-m", trained, "-o", parsed) == (0, "", "")
    from_file = json.loads(run("evaluate", ewt, parsed, "--json").out)
    from_model = json.loads(run("evaluate", ewt, "--model", trained, "--json").out)
    assert from_file == from_model
    assert from_file["words"] == 1139
    assert 0 < from_file["las"] < from_file["uas"] < 100


def test_the_best_epoch_scores_as_the_metrics_say(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    """Training evaluates in 32 bits, with the official evaluator's reading of labels."""
    parsed = tmp_path / "parsed.conllu"
    run("parse", ewt, "-m", trained, "-o", parsed, "--precision", "fp32")
    found = json.loads(run("evaluate", ewt, parsed, "--json").out)
    lines = (trained / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    best = max(map(json.loads, lines), key=lambda line: line["dev_las"])
    assert (round(found["uas"], 2), round(found["las"], 2)) == (round(best["dev_uas"], 2), round(best["dev_las"], 2))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system cannot kill")
def test_a_killed_process_goes_on_with_resume(run: Run, trained: Path, ewt: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    arguments = ["train", "--train", ewt, "--dev", ewt, "-o", folder, "--no-text-model", *SMALL]
    with subprocess.Popen(command(*arguments), env=ENVIRONMENT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"epoch   1 ")
        process.kill()
    # On a busy machine, the signal may come after the last epoch.
    assert process.returncode in (-signal.SIGKILL, 0)
    code, _, err = run(*arguments, "--resume")
    assert code == 0
    assert len(err.splitlines()) <= 3
    name = "weights.safetensors"
    assert (folder / name).read_bytes() == (trained / name).read_bytes()


MEMORY = """
import resource, sys
from pointree.cli.main import main
peaks = []
for path in sys.argv[2:]:
    try:
        main(["parse", path, "-m", sys.argv[1], "-o", path + ".out.conllu"])
    except SystemExit as left:
        assert not left.code
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(*peaks)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell the memory of a process")
def test_a_long_file_needs_no_more_memory_than_a_short_one(trained: Path, ewt: Path, tmp_path: Path) -> None:
    shortest = sorted(read_conllu(ewt), key=len)[:20]
    block = "".join(map(format_sentence, shortest))
    paths = [tmp_path / "short.conllu", tmp_path / "long.conllu"]
    for path, times in zip(paths, (125, 300), strict=True):
        path.write_text(block * times, encoding="utf-8", newline="")
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(trained), *map(str, paths)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    short, long = map(int, done.stdout.split())
    unit = 1 if sys.platform == "darwin" else 1024
    assert (long - short) * unit < 8_000_000
    assert sum(1 for _ in read_conllu(tmp_path / "long.conllu.out.conllu")) == 6_000


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(trained: Path, ewt: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_text(ewt.read_text(encoding="utf-8") * 20, encoding="utf-8")
    with subprocess.Popen(
        command("parse", path, "-m", trained), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == ewt.read_bytes().partition(b"\n")[0] + b"\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.slow
def test_output_is_utf8_in_any_locale(trained: Path) -> None:
    done = subprocess.run(
        command("parse", "-q", "-m", trained, "--from", "words", "--to", "tree"),
        env=ENVIRONMENT | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        input="日本語 ist schön\n".encode(),
        capture_output=True,
        check=True,
    )
    assert "日本語" in done.stdout.decode()
    assert done.stderr == b""


@pytest.fixture(scope="module")
def parser(trained_with_text: Path) -> Parser:
    return pointree.load(trained_with_text)


def test_python_parses_words_and_sentences(parser: Parser, ewt: Path) -> None:
    words = ["John", "and", "Mary", "play", "tennis"]
    given = next(read_conllu(ewt))
    before = given.copy()
    first, second = parser.parse([words, given])
    assert first.forms == words
    assert (given, second.forms) == (before, given.forms)
    for sentence in (first, second):
        assert tree_faults(sentence.heads) == []
        assert all(word.upos != "_" and word.deprel != "_" for word in sentence.words)


def test_python_streams(parser: Parser, ewt: Path) -> None:
    def endless() -> Iterator[list[str]]:
        while True:
            yield ["on", "and", "on"]

    stream = parser.stream(endless())
    assert all(next(stream).forms == ["on", "and", "on"] for _ in range(10))
    sentences = list(read_conllu(ewt))
    assert list(parser.stream(iter(sentences))) == parser.parse(sentences)


def test_python_parses_text(parser: Parser, trained: Path) -> None:
    text = "The cat sat on the mat.\n\nIt slept."
    first, second = parser.parse_text(text, n_best=1, probabilities=True)
    assert (first.text, second.text) == ("The cat sat on the mat.", "It slept.")
    assert "HeadProb=" in first.words[0].misc
    assert len(parser.parse_text("a b. c d.\ne f", sentences="presegmented")) == 2
    assert parser.parse_text("") == []
    with pytest.raises(pointree.PointreeError, match="this model cannot read raw text"):
        pointree.load(trained).parse_text(text)


def test_python_writes_what_the_command_writes(run: Run, parser: Parser, trained_with_text: Path) -> None:
    text = "The cat sat on the mat. It slept."
    expected = run("parse", text, "-m", trained_with_text).out
    assert "".join(map(format_sentence, parser.parse_text(text))) == expected
    read = list(read_conllu(io.StringIO(expected)))  # MISC has the places, which `parse_text` has as numbers
    assert [(s.forms, s.heads) for s in read] == [(s.forms, s.heads) for s in parser.parse_text(text)]
