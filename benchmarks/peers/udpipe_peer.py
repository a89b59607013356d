"""UDPipe 1: its own reader, its transition parser, its own writer. Its Python binding holds the GIL while it parses."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ufal import udpipe

from treebank import blocks

BLOCK_SENTENCES = 50
_worker: Any = None  # a worker process's model and options


def prepare(train: Path, folder: Path) -> None:
    """Train the parser alone, with its default sizes, for one iteration of its ten."""
    sentences = udpipe.Sentences()
    for sentence in read_sentences(train.read_text(encoding="utf-8")):
        sentences.append(sentence)
    error = udpipe.ProcessingError()
    model = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), "none", "none", "iterations=1", error
    )
    if error.occurred():
        raise RuntimeError(error.message)
    (folder / "model.udpipe").write_bytes(model)


def load(folder: Path, settings: dict[str, Any], processes: int) -> Callable[[Path, Path], None]:
    """A function that parses a file into another."""
    path, options = str(folder / "model.udpipe"), f"beam_search={settings['beam']}"
    if processes > 1:
        return lambda source, target: _parse_with_processes(path, options, processes, source, target)
    _start(path, options)

    def parse(source: Path, target: Path) -> None:
        target.write_text(_parse(source.read_text(encoding="utf-8")), encoding="utf-8")

    return parse


def _start(path: str, options: str) -> None:
    global _worker
    _worker = load_model(path), options


def load_model(path: str) -> Any:
    """A model of UDPipe from its file."""
    model = udpipe.Model.load(path)
    if model is None:
        raise RuntimeError(f"{path}: UDPipe cannot load this model")
    return model


def read_sentences(text: str) -> Iterator[Any]:
    """The sentences of a text in CoNLL-U; UDPipe uses one object for all of them."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, error):
        yield sentence
    if error.occurred():
        raise RuntimeError(error.message)


def _parse(text: str) -> str:
    model, options = _worker
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    parsed, error = [], udpipe.ProcessingError()
    for sentence in read_sentences(text):
        if not model.parse(sentence, options, error):
            raise RuntimeError(error.message)
        parsed.append(writer.writeSentence(sentence))
    return "".join(parsed)


def _parse_with_processes(path: str, options: str, processes: int, source: Path, target: Path) -> None:
    """UDPipe has nothing of its own for this: a pool of processes that take blocks of sentences in turn."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _start, (path, options)) as pool, open(target, "w", encoding="utf-8") as stream:
        stream.writelines(pool.imap(_parse, _texts(source)))
        pool.close()
        pool.join()


def _texts(source: Path) -> Iterator[str]:
    sentences = blocks(source)
    while text := "".join(islice(sentences, BLOCK_SENTENCES)):
        yield text
