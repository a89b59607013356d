"""Running the command line as a user does, with a model that is trained in a second."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pointree.cli.main import main
from pointree.text.udpipe import TextModel

_SMALL = {
    "embeddings.word_size": 16,
    "embeddings.char_size": 8,
    "embeddings.char_filters": 8,
    "embeddings.tag_size": 8,
    "embeddings.min_count": 1,
    "encoder.size": 16,
    "encoder.layers": 1,
    "decoder.size": 16,
    "scorers.arc_size": 16,
    "scorers.label_size": 16,
    "training.batch_size": 16,
    "training.epochs": 4,
    "training.schedule": "linear",
    "training.learning_rate": 0.02,
}
SMALL = [part for name, value in _SMALL.items() for part in ("--set", f"{name}={value}")]
"""Options of `pointree train` for a network that learns a little in no time."""


class Outcome(NamedTuple):
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `pointree` with these arguments in this process."""

    def run_main(*args: object) -> Outcome:
        with pytest.raises(SystemExit) as left:
            main([str(arg) for arg in args])
        out, err = capfd.readouterr()
        return Outcome(int(left.value.code or 0), out, err)

    return run_main


@pytest.fixture(scope="session")
def trained(ewt: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model without a text model; tests read it only."""
    folder = tmp_path_factory.mktemp("models") / "small"
    with pytest.raises(SystemExit) as left:
        main(["train", "--train", str(ewt), "--dev", str(ewt), "-o", str(folder), "--no-text-model", *SMALL])
    assert not left.value.code
    return folder


@pytest.fixture(scope="session")
def trained_with_text(trained: Path, text_model: TextModel) -> Path:
    """The folder of the same model with a tokeniser and a tagger."""
    folder = trained.with_name("small-with-text")
    shutil.copytree(trained, folder)
    shutil.copy(text_model.name, folder / "text.udpipe")
    return folder
