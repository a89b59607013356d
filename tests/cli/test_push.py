"""`pointree push` against a Hub on this machine, and what `pointree parse` gets back from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..models.local_hub import LocalHub, local_hub
from .conftest import Outcome

pytest.importorskip("huggingface_hub")


@pytest.fixture
def hub() -> Iterator[LocalHub]:
    with local_hub() as server:
        yield server


@pytest.fixture
def pointree(hub: LocalHub, tmp_path: Path) -> Callable[..., Outcome]:
    """Run `pointree` in a process whose Hub is the local one: the library reads its address when it is imported."""

    def run(*arguments: object, token: str = "secret") -> Outcome:
        env = os.environ | {
            "HF_ENDPOINT": hub.address,
            "HF_HOME": str(tmp_path / "cache"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_TOKEN": token,
            "NO_PROXY": "127.0.0.1",
        }
        command = [sys.executable, "-m", "pointree", *map(str, arguments)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, encoding="utf-8")
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.mark.slow
def test_a_model_goes_to_the_hub_and_comes_back(
    hub: LocalHub, pointree: Callable[..., Outcome], trained: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained, folder)
    scores = tmp_path / "scores.json"
    scores.write_text(json.dumps({"las": 87.634, "uas": 90.1, "tagging": {"upos": 94.16}, "words": 12}))
    hub.repositories["org/name"] = {"text.udpipe": b"of an earlier model", "notes.txt": b"stay"}

    refused = pointree("push", folder, "org/name")
    assert (refused.code, refused.err) == (
        2,
        f"pointree: error: {folder / 'README.md'}: expected a licence, found none; name one, such as cc-by-sa-4.0\n",
    )
    options = ("--licence", "CC BY-SA 4.0", "--scores", scores, "--scored-on", "EWT test", "--data", "org/ewt")
    done = pointree("push", folder, "org/name", "--language", "en", "--message", "First", *options)
    assert done.code == 0, done.err
    files = hub.repositories["org/name"]
    assert "checkpoint.safetensors" not in files
    assert "text.udpipe" not in files
    assert files["notes.txt"] == b"stay"
    assert files["weights.safetensors"] == (folder / "weights.safetensors").read_bytes()
    assert hub.messages == ["First"]
    card = files["README.md"].decode()
    for line in ("license: cc-by-sa-4.0", "language: en", "library_name: pointree", "- org/ewt", "value: 87.63"):
        assert line in card
    assert card.endswith((folder / "README.md").read_text(encoding="utf-8"))

    words = tmp_path / "words.txt"
    words.write_text("They play tennis .\n")
    parsed = pointree("parse", "--model", "org/name", "--from", "words", words, token="")
    local = pointree("parse", "--model", folder, "--from", "words", words)
    assert parsed.code == 0, parsed.err
    assert parsed.out == local.out


@pytest.mark.slow
def test_a_refusal_of_the_hub_is_one_line(pointree: Callable[..., Outcome], trained: Path) -> None:
    failed = pointree("push", trained, "org/name", "--licence", "mit", token="wrong")
    assert failed.code == 2
    assert failed.err.startswith("pointree: error: org/name: cannot be published on the Hugging Face Hub: ")
    assert failed.err.endswith("; log in with `hf auth login`, or set HF_TOKEN\n")
    assert failed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere", "org/name"], "nowhere: no such model folder"),
        (["model", "name"], "expected a Hugging Face Hub id such as org/name, found 'name'"),
        (["model", "org/name", "--scores", "none.json"], "none.json: no such file"),
    ],
)
def test_bad_arguments_are_one_line(run: Callable[..., Outcome], arguments: list[str], problem: str) -> None:
    failed = run("push", *arguments)
    assert (failed.code, failed.err) == (2, f"pointree: error: {problem}\n")
