"""Everything about parsing works where torch is not installed; `.ci/run` runs this file in such an environment.

Elsewhere every command runs in a process in which torch cannot be imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pointree.rendering import FORMATS

EWT = Path(__file__).resolve().parents[1] / "fixtures" / "ewt.conllu"

TEXT = "John and Mary play tennis together. They like it."

pytestmark = pytest.mark.slow

BLOCKED = "import sys; sys.modules['torch'] = None; "


def run(*arguments: str, code: int = 0) -> str:
    """What a command writes, in a process without torch."""
    script = f"{BLOCKED}from pointree.cli.main import main; main({list(arguments)!r})"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    return ran.stdout if code == 0 else ran.stderr


def test_parse_in_every_format() -> None:
    assert "\tnsubj\t" in run("parse", TEXT)
    script = BLOCKED + "import sys, pointree; [pointree.parse_files(%r, sys.stdout, output_format=name) for name in %r]"
    ran = subprocess.run(
        [sys.executable, "-c", script % (TEXT, [*FORMATS])], capture_output=True, text=True, check=True
    )
    assert ran.stdout.count("tennis") >= len(FORMATS)


def test_traces_beams_and_ensembles() -> None:
    [first, *_] = json.loads(run("parse", TEXT, "--to", "trace", "--beam", "2"))
    assert len(first["steps"]) == len(first["heads"]) == 7
    assert run("parse", TEXT, "--n-best", "2").count("# tree_rank = 2") == 2
    assert run("parse", TEXT, "--model", "en", "--model", "en", "--probabilities").count("HeadProb=") == 11


def test_evaluate() -> None:
    scores = json.loads(run("evaluate", str(EWT), "--model", "en", "--json"))
    assert scores["scores"]["las"]["f1"] > 60


@pytest.mark.parametrize(
    "arguments", [("train", "--train", str(EWT), "--dev", str(EWT), "--output", "nowhere"), ("bench", "--quick")]
)
def test_what_needs_torch_names_the_extra(arguments: tuple[str, ...], tmp_path: Path) -> None:
    message = run(*arguments, code=2)
    assert "pip install 'pointree[train]'" in message
    assert message.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()


def test_python() -> None:
    script = BLOCKED + (
        "import pointree; parser = pointree.load('en'); assert parser.engine.name == 'onnx'\n"
        "assert parser.parse([['John', 'sleeps']])[0].heads == [2, 0]\n"
        "try: pointree.train\n"
        "except pointree.PointreeError as error: assert 'pointree[train]' in str(error)\n"
        "else: raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
