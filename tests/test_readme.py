"""The README does what it says: its examples run, its picture is ours, and its figures are those of the model card.

Every line of its shell examples is run in a folder that has the files which the examples name, short ones, or stands
in `NOT_RUN` with the reason. Training is made small by more `--set` options and does without a tokeniser, as that
takes longer than all else here.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pointree.cli.main import main
from pointree.models.registry import resolve_model
from pointree.treebank.conllu import read_conllu

from .cli.conftest import SMALL

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SENTENCE = "John and Mary play tennis together."

NOT_RUN = {
    r"python3 -m venv .* -m pytest -n 2": ".ci/run runs it",
    r"\.venv/bin/pip install ": "installing is for .ci/run",
    r"pointree serve\b": "it would not end; tests/serving runs it",
    r"pointree bench$": "it takes a minute; tests/bench runs a short one",
    r"udeval ": "the program of others",
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def is_run(line: str) -> bool:
    return not any(re.match(pattern, line) for pattern in NOT_RUN)


LINES = [line for block in blocks("sh") for line in block.splitlines()]
COMMANDS = [line for line in LINES if is_run(line)]


class Outcome(NamedTuple):
    """What a line of the README left."""

    code: int
    out: str
    err: str


Run = Callable[[str], Outcome]


@pytest.fixture
def folder(tmp_path: Path, ewt: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with every file that the examples name."""
    treebank = "\n\n".join(ewt.read_text(encoding="utf-8").split("\n\n")[:6]) + "\n\n"
    for name in ("train", "dev", "treebank", "gold", "system", "en_ewt-ud-test"):
        (tmp_path / f"{name}.conllu").write_text(treebank, encoding="utf-8")
    shutil.copy(tmp_path / "treebank.conllu", tmp_path / "from-tokens.conllu")
    for name in ("article", "text", "en_ewt-ud-test"):
        (tmp_path / f"{name}.txt").write_text(f"{SENTENCE} It rains.\n\nThe end.\n", encoding="utf-8")
    [settings] = blocks("toml")
    (tmp_path / "run.toml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a line of the README in this process; what a pipe would bring comes from the file that it reads."""

    def run_line(line: str) -> Outcome:
        line = line.rpartition(" && ")[2].removeprefix(".venv/bin/")
        if piped := re.fullmatch(r"cat (\S+) \| (.*)", line):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(piped[1]).read_bytes())))
            line = piped[2]
        program, *arguments = shlex.split(line, comments=True)
        assert program == "pointree"
        if arguments[0] == "train":
            arguments += [*SMALL, "--set", "training.epochs=1", "--no-text-model"]
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main(arguments)
        return Outcome(int(left.value.code or 0), *capfd.readouterr())

    return run_line


def test_no_reason_is_without_a_line() -> None:
    for pattern in NOT_RUN:
        assert any(re.match(pattern, line) for line in LINES), f"{pattern}: no line of the README is like this"


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line: str, folder: Path, run: Run) -> None:
    command, output = line.partition("pointree ")[2].split()[0], re.search(r"--output (\S+)", line)
    if command != "train" and "--model model" in line:
        (folder / "model").symlink_to(resolve_model("en"))
    if output and command == "parse":
        (folder / output[1]).unlink(missing_ok=True)
    outcome = run(line)
    assert outcome.code == 0, outcome.err
    assert outcome.out or output
    if output:
        written = folder / output[1]
        assert written.is_dir() if command == "train" else written.stat().st_size > 0
    if output and output[1].endswith(".conllu"):
        assert all(head is not None for sentence in read_conllu(written) for head in sentence.heads)


def test_settings_are_known(folder: Path) -> None:
    from pointree.config import load_config

    assert load_config(folder / "run.toml", ()).decoder.order == "outside-in"


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    [code] = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    first, second, *drawing = capsys.readouterr().out.splitlines()
    assert first.startswith("[('John', 4, 'nsubj'), ('and', 3, 'cc'), ('Mary', 1, 'conj'), ('play', 0, 'root'), ")
    assert second.startswith("[('It', 2, ")
    assert any("●" in line and " play " in line for line in drawing)


def test_the_picture_is_what_we_draw(run: Run) -> None:
    command = f'pointree parse "{SENTENCE}" --to svg'
    assert f"`{command}`" in README
    assert "](docs/tree.svg)" in README
    picture = (ROOT / "docs" / "tree.svg").read_text(encoding="utf-8")
    assert run(f"{command} --precision fp32").out == picture, f"renew it: {command} --output docs/tree.svg"


def test_figures_are_those_of_the_model_card() -> None:
    card = (resolve_model("en") / "README.md").read_text(encoding="utf-8")
    assert table_after("## Results", README) == table_after("## Scores", card)


def test_the_licences_are_those_of_the_files() -> None:
    licence = README.partition("## Licence\n")[2]
    assert "[MIT licence](LICENSE)" in licence
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert "CC BY-SA 4.0" in licence
    assert "Licence: CC BY-SA 4.0" in (resolve_model("en") / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)", README))))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()


def table_after(heading: str, text: str) -> list[str]:
    """The rows of the first table after a heading."""
    found = re.search(r"(?:^\|.*\n)+", text.partition(f"{heading}\n")[2], re.M)
    assert found is not None
    return found[0].splitlines()
