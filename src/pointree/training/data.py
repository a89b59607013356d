"""Treebanks as training reads them: checked, with a warning for each kind of fault."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from pointree.errors import InputError, TrainingError
from pointree.treebank.formats import read_all
from pointree.treebank.sentence import Sentence
from pointree.treebank.validity import tree_faults
from pointree.vocabulary.vectors import Vectors

__all__ = ["data_fingerprint", "read_gold"]


def read_gold(path: str | os.PathLike[str], *, strict: bool, warn: Callable[[str], None]) -> list[Sentence]:
    """Read a treebank for training or evaluation.

    Sentences with several roots are kept, for their heads still form a forest under ROOT; those with a cycle or with
    words without a head are left out. Both are told in one warning each; ``strict`` refuses them instead.
    """
    sentences = read_all(path)
    kept: list[Sentence] = []
    left_out: list[str] = []
    odd_roots: list[str] = []
    for number, sentence in enumerate(sentences, 1):
        faults = tree_faults(sentence.heads)
        if not faults:
            kept.append(sentence)
            continue
        grave = [fault for fault in faults if not fault.startswith("expected one root, found ")]
        place = f"sentence {sentence.sent_id or number}: {(grave or faults)[0]}"
        if strict:
            raise TrainingError(f"{path}: {place}")
        if grave:
            left_out.append(place)
        else:
            odd_roots.append(place)
            kept.append(sentence)
    if odd_roots:
        warn(f"{path}: kept without a single root: {_sentences(odd_roots)}")
    if left_out:
        warn(f"{path}: left out because they are no trees: {_sentences(left_out)}")
    if not kept:
        raise InputError(f"{Path(path)}: expected sentences with trees, found none")
    return kept


def _sentences(places: list[str]) -> str:
    """The first of some sentences, and how many more there are."""
    return places[0] + (f" (and {len(places) - 1:,} more)" if len(places) > 1 else "")


def data_fingerprint(
    train: Sequence[Sentence], dev: Sequence[Sentence], vectors: Vectors | None, columns: Sequence[str] = ()
) -> dict[str, str]:
    """Checksums of what a run learns from, by which a resumed run knows that it has the same data.

    ``columns`` are those that it learns to predict.
    """
    digests = {name: hashlib.sha256() for name in ("train", "dev", "vectors")}
    for name, sentences in (("train", train), ("dev", dev)):
        for sentence in sentences:
            rows = (f"{w.form}\t{w.upos}\t{w.xpos}\t{w.head}\t{w.deprel}" for w in sentence.words)
            digests[name].update("\n".join((*rows, "", "")).encode())
    if vectors is not None:
        digests["vectors"].update("\n".join(vectors.words).encode())
        digests["vectors"].update(vectors.matrix.tobytes())
    if columns:
        digests["columns"] = hashlib.sha256()
        for word in (word for sentence in (*train, *dev) for word in sentence.words):
            digests["columns"].update("\t".join((*(getattr(word, column) for column in columns), "")).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}
