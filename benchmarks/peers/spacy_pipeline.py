"""spaCy: its English tokeniser, and the tagger, lemmatiser, morphologiser and parser of its efficiency configuration.

Training stops by itself: the configuration's patience ends it, long before its limit of steps.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from run_peer import Parse
from spacy.cli.init_config import init_config
from spacy.cli.train import train as train_model
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.training.converters import conllu_to_docs

PARTS = ["tagger", "morphologizer", "trainable_lemmatizer", "parser"]
SHORT_STEPS = 60
DOCUMENT_SENTENCES = 10
"""Sentences of a training document, as in the projects of spaCy: the parser has to learn where sentences end."""

PARAGRAPH = re.compile(r"\n\s*\n")


def prepare(train: Path, dev: Path, folder: Path, *, short: bool) -> None:
    """Train the parts together, with the tok2vec layer that they share, until the scores on dev stop to rise."""
    for name, path in (("train", train), ("dev", dev)):
        docs = conllu_to_docs(
            path.read_text(encoding="utf-8"), n_sents=DOCUMENT_SENTENCES, merge_subtokens=True, no_print=True
        )
        DocBin(docs=docs, store_user_data=True).to_disk(folder / f"{name}.spacy")
    init_config(lang="en", pipeline=PARTS, optimize="efficiency").to_disk(folder / "config.cfg")
    overrides: dict[str, Any] = {f"paths.{name}": str(folder / f"{name}.spacy") for name in ("train", "dev")}
    if short:
        overrides.update({"training.max_steps": SHORT_STEPS, "training.eval_frequency": SHORT_STEPS})
    train_model(folder / "config.cfg", folder / "trained", overrides=overrides)
    (folder / "trained" / "model-best").rename(folder / "model")
    shutil.rmtree(folder / "trained")
    for name in ("train", "dev"):
        (folder / f"{name}.spacy").unlink()


def load(folder: Path, settings: dict[str, Any]) -> tuple[Parse, str]:
    """A function that parses a text file into a CoNLL-U file, and what it computes with."""
    nlp = spacy.load(folder / "model", exclude=settings.get("without", []))

    def parse(source: Path, target: Path) -> None:
        with open(target, "w", encoding="utf-8") as stream:
            for doc in nlp.pipe(_paragraphs(source)):
                for sentence in doc.sents:
                    stream.write(_conllu(sentence))

    return parse, "thinc, fp32"


def _paragraphs(source: Path) -> Iterator[str]:
    """A document for each paragraph: the tokeniser knows nothing of blank lines."""
    for paragraph in PARAGRAPH.split(source.read_text(encoding="utf-8")):
        if paragraph.strip():
            yield paragraph.strip()


def _conllu(sentence: Span) -> str:
    """A sentence as CoNLL-U; tokens of white space, which spaCy has too, are left out."""
    words = [token for token in sentence if not token.is_space]
    if not words:
        return ""
    numbers = {word.i: number for number, word in enumerate(words, 1)}
    heads = [_head(word, numbers) for word in words]
    roots = [number for number, head in enumerate(heads, 1) if head == 0]
    lines = []
    for number, (word, head) in enumerate(zip(words, heads, strict=True), 1):
        if head == 0 and number != roots[0]:  # where white space was the root, the first of its dependents is
            head = roots[0]
        row = (
            str(number),
            word.text,
            word.lemma_ or "_",
            word.pos_ or "_",
            word.tag_ or "_",
            str(word.morph) or "_",
            str(head),
            "root" if head == 0 else word.dep_ if word.dep_.lower() != "root" else "dep",
            "_",
            "_" if word.whitespace_ or _before_space(word) else "SpaceAfter=No",
        )
        lines.append("\t".join(row) + "\n")
    return "".join(lines) + "\n"


def _head(word: Token, numbers: dict[int, int]) -> int:
    """The number of the nearest ancestor that is a word of the sentence, 0 if there is none."""
    while word.head.i != word.i:
        word = word.head
        if word.i in numbers:
            return numbers[word.i]
    return 0


def _before_space(word: Token) -> bool:
    doc: Doc = word.doc
    return word.i + 1 == len(doc) or doc[word.i + 1].is_space
