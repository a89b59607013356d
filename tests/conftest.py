"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pointree.text.udpipe import TextModel

os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests run beside each other, where the time that an example takes measures the neighbours.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

ROOT = Path(__file__).resolve().parents[1]
# Processes that tests start import the same pointree as the tests, whichever one is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
FIXTURES = Path(__file__).resolve().parent / "fixtures"


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With `-n`, give each process neighbouring tests, which share the models that their fixtures train.

    The option `--dist` would do the same, but among the options of all runs it fails where xdist is not installed.
    """
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.fixture(scope="session")
def ewt() -> Path:
    """Sixty sentences of English-EWT."""
    return FIXTURES / "ewt.conllu"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of treebanks and vectors beside the repository; tests that need it skip without it."""
    data = ROOT.parent / "shared" / "data"
    if not data.is_dir():
        pytest.skip("the treebanks of ../shared/data are not here")
    return data


@pytest.fixture(scope="session")
def text_model(ewt: Path, tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    """A tokeniser and a tagger that have seen sixty sentences, small enough to be trained in the test session."""
    from pointree.training.text_model import TaggerOptions, TokenizerOptions, train_text_model
    from pointree.treebank.conllu import read_conllu

    return train_text_model(
        list(read_conllu(ewt)),
        [],
        tmp_path_factory.mktemp("text-model") / "tiny.udpipe",
        tokenizer=TokenizerOptions(epochs=1, segment_size=10),
        tagger=TaggerOptions(iterations=2),
    )
