"""Analyse parsed files against a gold treebank: what `pointree analyse` does, as a function."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pointree.analysis.attachments import read_attachments
from pointree.analysis.compare import Analysis, analyse_attachments
from pointree.errors import UsageError
from pointree.treebank.formats import read_treebank, require_sentences
from pointree.treebank.sentence import Sentence

__all__ = ["analyse", "name_systems"]

Treebank = str | os.PathLike[str] | Iterable[Sentence]


def analyse(
    gold: Treebank,
    systems: Mapping[str, Treebank] | Sequence[str | os.PathLike[str]],
    *,
    resamples: int = 10_000,
    seed: int = 1,
    subtypes: bool = False,
) -> Analysis:
    """Find where systems err, and whether one is better than another.

        >>> analyse("gold.conllu", {"L2R": "l2r.conllu", "R2L": "r2l.conllu"}).differences

    The analysis has the accuracy by sentence length, word position, dependency length, label and tag, and on arcs
    that cross others; for each two systems it has the difference in UAS and LAS with a p-value (paired bootstrap over
    sentences). `html_report` makes a page of it, `curves` a figure.

    Args:
        gold: A treebank, CoNLL-U or CoNLL-X, or its sentences.
        systems: Parsed files of the same words, or their sentences, by the names of the systems; or files alone, which
            are then named after themselves.
        resamples: The number of draws of the bootstrap.
        seed: The seed of the draws.
        subtypes: Let LAS compare whole labels, with their subtypes.
    """
    if not isinstance(systems, Mapping):
        systems = name_systems((None, Path(path)) for path in systems)
    if not systems:
        raise UsageError("analyse: expected one system at least, found none")
    gold_sentences, gold_name = _read(gold, "gold")
    read = [_read(treebank, name) for name, treebank in systems.items()]
    attachments = read_attachments(
        require_sentences(gold_sentences, gold_name),
        [sentences for sentences, _file in read],
        list(systems),
        gold_name,
        [file for _sentences, file in read],
        subtypes=subtypes,
    )
    return analyse_attachments(attachments, Path(gold_name).name, resamples=resamples, seed=seed, subtypes=subtypes)


def name_systems(files: Iterable[tuple[str | None, Path]]) -> dict[str, Path]:
    """Name every file: by the name given, by that of the file, or with its folder where files are called alike."""
    pairs = list(files)
    stems = Counter(path.stem for name, path in pairs if name is None)
    found: dict[str, Path] = {}
    for given, path in pairs:
        alike = stems[path.stem] > 1 and path.parent.name
        name = given or (f"{path.parent.name}/{path.stem}" if alike else path.stem)
        if name in found:
            raise UsageError(f"analyse: two systems are called {name}: {found[name]} and {path}; name them (NAME=FILE)")
        found[name] = path
    return found


def _read(treebank: Treebank, name: str) -> tuple[Iterable[Sentence], str]:
    """Return sentences, and what messages call them: their file, or the name if they have none."""
    if isinstance(treebank, str | os.PathLike):
        return read_treebank(treebank), os.fspath(treebank)
    return treebank, name
