"""UDPipe 1: tokeniser, tagger, lemmatiser and parser, trained with its defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from run_peer import Parse
from udpipe_peer import load_model, read_sentences
from ufal import udpipe

SHORT = ("epochs=1", "iterations=1", "iterations=1;hidden_layer=20")
"""Options of tokeniser, tagger and parser that make the training short."""


def prepare(train: Path, dev: Path, folder: Path, *, short: bool) -> None:
    """Train all parts; the dev treebank chooses the epochs, as UDPipe does it by itself."""
    data = []
    for path in (train, dev):
        sentences = udpipe.Sentences()
        for sentence in read_sentences(path.read_text(encoding="utf-8")):
            sentences.append(sentence)
        data.append(sentences)
    error = udpipe.ProcessingError()
    options = SHORT if short else ("", "", "")
    model = udpipe.Trainer.train("morphodita_parsito", *data, *options, error)
    if error.occurred():
        raise RuntimeError(error.message)
    (folder / "model.udpipe").write_bytes(model)


def load(folder: Path, settings: dict[str, Any]) -> tuple[Parse, str]:
    """A function that parses a text file into a CoNLL-U file, and what it computes with."""
    model = load_model(str(folder / "model.udpipe"))

    def parse(source: Path, target: Path) -> None:
        # Made here, so that the model, to which it holds no reference of Python, outlives it.
        pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
        error = udpipe.ProcessingError()
        parsed = pipeline.process(source.read_text(encoding="utf-8"), error)
        if error.occurred():
            raise RuntimeError(error.message)
        target.write_text(parsed, encoding="utf-8")

    return parse, "its own C++"
