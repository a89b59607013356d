"""A text model small enough to be trained in the test session."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.training.tagger import TaggerOptions, TokenizerOptions, train_text_model
from pointree.treebank.conllu import read_conllu
from pointree.treebank.udpipe import TextModel


@pytest.fixture(scope="session")
def text_model(ewt: Path, tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    """A tokeniser and a tagger that have seen sixty sentences."""
    sentences = list(read_conllu(ewt))
    return train_text_model(
        sentences,
        [],
        tmp_path_factory.mktemp("model") / "tiny.udpipe",
        tokenizer=TokenizerOptions(epochs=1, segment_size=10),
        tagger=TaggerOptions(iterations=2),
    )
