"""The scores of a model, or of UDPipe 1, on dev and test: from raw text and with gold tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from pointree.evaluation import Evaluation, evaluate
from pointree.evaluation.raw_text import raw_text
from pointree.evaluation.run import without_annotation
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence

__all__ = ["MEASURES", "Annotator", "OnScore", "model_annotator", "score_splits"]

MEASURES = ("tokens", "sentences", "words", "upos", "xpos", "ufeats", "lemmas", "uas", "las", "clas")
"""What is recorded, as F1 in percent: the names of `pointree.evaluation.scores`."""

OnScore = Callable[[str], None]
"""Called with what is scored next."""


class Annotator(Protocol):
    """What reads text and words, and annotates them."""

    def from_text(self, text: str) -> Iterable[Sentence]:
        """The sentences of a raw text."""

    def from_words(self, sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        """Sentences of gold words without annotation, annotated."""


class _Model:
    """A model as it is released, with one thread."""

    def __init__(self, folder: Path) -> None:
        from pointree.parser import load
        from pointree.running.threads import prepare_process

        prepare_process(1)
        self.parser = load(folder)

    def from_text(self, text: str) -> Iterable[Sentence]:
        return self.parser.parse_text(text)

    def from_words(self, sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        return self.parser.stream(sentences, copy=False, retag=True)


def model_annotator(folder: Path) -> Annotator:
    """A model of pointree in a folder."""
    return _Model(folder)


def score_splits(
    files: Mapping[str, Path], annotator: Annotator, on_score: OnScore = lambda _what: None
) -> dict[str, dict[str, Any]]:
    """The scores of each split, ``raw`` and ``gold`` (with gold tokens), and the speed from raw text.

    The speed counts gold words and seconds of CPU; loading the model is not in it.
    """
    found: dict[str, dict[str, Any]] = {}
    for split, path in files.items():
        gold = list(read_treebank(path))
        text = raw_text(gold, str(path))
        on_score(f"{split}, raw text")
        started = time.process_time()
        parsed = list(annotator.from_text(text))
        seconds = time.process_time() - started
        raw = evaluate(gold, parsed)
        on_score(f"{split}, gold tokens")
        given = evaluate(gold, annotator.from_words(without_annotation(gold, tags=True)))
        found[split] = {
            "raw": _rounded(raw),
            "gold": _rounded(given),
            "words_per_s": round(raw.words / max(seconds, 1e-9)),
        }
    return found


def _rounded(scores: Evaluation) -> dict[str, float]:
    return {name: round(scores.scores[name].f1, 2) for name in MEASURES}
