"""Treebanks as training reads them: checked, with a warning for each kind of fault."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pointree.errors import InputError, TrainingError
from pointree.treebank.formats import read_all
from pointree.treebank.sentence import Sentence
from pointree.treebank.validity import tree_faults

__all__ = ["read_gold"]


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
        place = f"sentence {sentence.sent_id or number}: {faults[0]}"
        if strict:
            raise TrainingError(f"{path}: {place}")
        if all(fault.startswith("expected one root, found ") for fault in faults) and 0 in sentence.heads:
            odd_roots.append(place)
            kept.append(sentence)
        else:
            left_out.append(place)
    if odd_roots:
        warn(f"{path}: {len(odd_roots)} sentences without a single root are kept (the first: {odd_roots[0]})")
    if left_out:
        warn(f"{path}: {len(left_out)} sentences that are no trees are left out (the first: {left_out[0]})")
    if not kept:
        raise InputError(f"{Path(path)}: expected sentences with trees, found none")
    return kept
