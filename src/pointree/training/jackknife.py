"""Tags by cross-prediction (jack-knifing): for training a parser on tags as it will meet them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pointree.errors import UsageError
from pointree.training.text_model import DEFAULT_TAGGER, OnTextProgress, TaggerOptions, TextProgress, train_text_model
from pointree.treebank.sentence import Sentence

__all__ = ["jackknife_tags"]


def jackknife_tags(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence] = (),
    *,
    folds: int = 5,
    tagger: TaggerOptions = DEFAULT_TAGGER,
    progress: OnTextProgress | None = None,
) -> list[Sentence]:
    """Copies of the sentences with tags from taggers that have not seen them.

    Each fold is tagged by a tagger trained on the others, so that a parser trained on the result meets the
    tags it will have to live with. Documents (`# newdoc`), where they are marked, go to folds as a whole.
    """
    if not 2 <= folds <= len(sentences):
        raise UsageError(f"folds: expected 2 to {len(sentences)}, the number of sentences, found {folds}")
    fold_of = _folds(sentences, folds)
    tagged: list[Sentence | None] = [None] * len(sentences)
    with tempfile.TemporaryDirectory(prefix="pointree-") as folder:
        for fold in range(folds):
            others = [sentence for sentence, f in zip(sentences, fold_of, strict=True) if f != fold]
            report = _prefixed(progress, f"fold {fold + 1}/{folds}, ")
            model = train_text_model(
                others, dev, Path(folder, "tagger"), tokenizer=None, tagger=tagger, progress=report
            )
            places = [place for place, f in enumerate(fold_of) if f == fold]
            for place, sentence in zip(places, model.tag(sentences[p] for p in places), strict=True):
                tagged[place] = sentence
    return [sentence for sentence in tagged if sentence is not None]


def _folds(sentences: Sequence[Sentence], folds: int) -> list[int]:
    """The fold of each sentence: documents, or single sentences if too few documents are marked, in turn."""
    starts = [any(sentence.meta(key) is not None for key in ("newdoc", "newdoc id")) for sentence in sentences]
    if sum(starts) < folds:
        return [place % folds for place in range(len(sentences))]
    document = 0
    result = []
    for place, start in enumerate(starts):
        document += start and place > 0
        result.append(document % folds)
    return result


def _prefixed(progress: OnTextProgress | None, prefix: str) -> OnTextProgress | None:
    if progress is None:
        return None
    return lambda p: progress(TextProgress(prefix + p.stage, p.step, p.n_steps, p.seconds, p.report))
