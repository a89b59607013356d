"""spaCy: the parser of its "efficiency" configuration, on words alone. It reads and writes no CoNLL-U, so we do."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train as train_model
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from treebank import DEPREL, HEAD, blocks, word_rows

STEPS = 100


def prepare(train: Path, folder: Path) -> None:
    """Train tok2vec and parser with a generated configuration for some steps; one evaluation saves them."""
    vocab = Vocab()
    docs = [_gold(vocab, word_rows(block)) for block in blocks(train)]
    DocBin(docs=docs).to_disk(folder / "train.spacy")
    DocBin(docs=docs[:50]).to_disk(folder / "dev.spacy")
    config = init_config(lang="xx", pipeline=["parser"], optimize="efficiency")
    config.to_disk(folder / "config.cfg")
    overrides = {
        "paths.train": str(folder / "train.spacy"),
        "paths.dev": str(folder / "dev.spacy"),
        "training.max_steps": STEPS,
        "training.eval_frequency": STEPS,
    }
    train_model(folder / "config.cfg", folder / "trained", overrides=overrides)
    (folder / "trained" / "model-last").rename(folder / "model")
    shutil.rmtree(folder / "trained")
    for name in ("train.spacy", "dev.spacy", "config.cfg"):
        (folder / name).unlink()


def _gold(vocab: Vocab, rows: list[list[str]]) -> Doc:
    heads = [int(row[HEAD]) - 1 if row[HEAD] != "0" else number for number, row in enumerate(rows)]
    return Doc(vocab, words=[row[1] for row in rows], heads=heads, deps=[row[DEPREL] for row in rows])


def load(folder: Path, settings: dict[str, Any], processes: int) -> Callable[[Path, Path], None]:
    """A function that parses a file into another."""
    nlp = spacy.load(folder / "model")

    def parse(source: Path, target: Path) -> None:
        rows: deque[list[list[str]]] = deque()  # of the sentences under way, so that processes need not carry them
        with open(target, "w", encoding="utf-8") as stream:
            for doc in nlp.pipe(_docs(nlp.vocab, source, rows), n_process=processes):
                stream.write(_conllu(doc, rows.popleft()))

    return parse


def _docs(vocab: Vocab, source: Path, rows: deque[list[list[str]]]) -> Iterator[Doc]:
    for block in blocks(source):
        rows.append(word_rows(block))
        yield Doc(vocab, words=[row[1] for row in rows[-1]])


def _conllu(doc: Doc, rows: list[list[str]]) -> str:
    lines = []
    for word, row in zip(doc, rows, strict=True):
        row[HEAD] = "0" if word.head.i == word.i else str(word.head.i + 1)
        row[DEPREL] = word.dep_
        lines.append("\t".join(row) + "\n")
    return "".join(lines) + "\n"
