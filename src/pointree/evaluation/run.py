"""Score a file or a model against a gold treebank: what `pointree evaluate` does, as a function."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pointree.errors import UsageError
from pointree.evaluation.calibration import expected_calibration_error, reported_outcomes
from pointree.evaluation.raw_text import raw_text
from pointree.evaluation.scores import Evaluation, score_sentences
from pointree.options import ParseOptions
from pointree.treebank.formats import read_treebank, require_sentences
from pointree.treebank.sentence import Sentence

if TYPE_CHECKING:
    from pointree.parser import SentenceParser

__all__ = ["OnProgress", "evaluate", "without_annotation"]

Model: TypeAlias = "str | os.PathLike[str] | SentenceParser"

OnProgress = Callable[[int, int | None], None]
"""Called with the number of gold sentences that are scored, and of all of them where it is known."""


def evaluate(
    gold: str | os.PathLike[str] | Iterable[Sentence],
    system: str | os.PathLike[str] | Iterable[Sentence] | None = None,
    options: ParseOptions | None = None,
    *,
    model: Model | Sequence[str | os.PathLike[str]] | None = None,
    from_text: bool = False,
    calibration: bool = False,
    device: str = "cpu",
    engine: str = "auto",
    threads: int | None = None,
    on_progress: OnProgress | None = None,
    **fields: Any,
) -> Evaluation:
    """Score a parsed file, or a model, against gold trees.

        >>> evaluate("gold.conllu", "parsed.conllu").las
        >>> evaluate("gold.conllu", model="en", from_text=True).scores["tokens"].f1

    Scores are those of the official evaluator of Universal Dependencies; see `pointree.evaluation.scores`. Files are
    read side by side, with bounded memory.

    A model parses the gold words with their gold tags; it never sees the trees. With ``retag=True`` it does not see
    tags, features and lemmas either, and its own are scored. With ``from_text`` it reads the raw text of the gold file
    (the comments ``# text``) and finds sentences and words itself.

    Args:
        gold: A treebank, CoNLL-U or CoNLL-X, or its sentences.
        system: A parsed file of the same text, or its sentences.
        options: How the model parses; `ParseOptions` fields may also be given as keywords (``retag=True``).
        model: Instead of ``system``: the name or folder of a model, or a model that is loaded; several names parse
            together.
        from_text: Whether the model starts from raw text.
        calibration: Whether to measure how far reported probabilities are from the truth, on gold words.
        device: Where a model that is to be loaded computes.
        threads: The number of CPU threads of a model that is to be loaded; all cores if None.
        on_progress: Called after each gold sentence.
    """
    chosen = ParseOptions.of(options, fields)
    _check_options(chosen, from_text, has_model=model is not None)
    if calibration and from_text:
        raise UsageError("evaluate: calibration is measured on gold words; expected it without from_text")
    gold_sentences, gold_name = _read(gold, "gold")
    if system is not None and model is None:
        system_sentences, system_name = _read(system, "system")
        names = (gold_name, system_name)
        if calibration:
            gold_sentences, system_sentences = list(gold_sentences), list(system_sentences)
        scores = score_sentences(_counted(gold_sentences, on_progress), system_sentences, names=names)
        return _with_calibration(scores, gold_sentences, system_sentences) if calibration else scores
    if model is None or system is not None:
        found = "neither" if system is None else "both"
        raise UsageError(f"evaluate: expected either a parsed file (system) or a model, found {found}")
    gold_sentences = list(gold_sentences)
    # A comment that is missing is reported before a model is loaded.
    text = raw_text(gold_sentences, gold_name) if from_text else None
    parser, name = _load(model, chosen.precision, device, engine, threads)
    counted = _counted(gold_sentences, on_progress, len(gold_sentences))
    if not calibration:
        return score_sentences(counted, _parse(parser, gold_sentences, text, chosen), names=(gold_name, name))
    parsed = list(_parse(parser, gold_sentences, text, dataclasses.replace(chosen, probabilities=True)))
    return _with_calibration(score_sentences(counted, parsed, names=(gold_name, name)), gold_sentences, parsed)


def without_annotation(sentences: Iterable[Sentence], *, tags: bool = False) -> Iterator[Sentence]:
    """Copy sentences without their heads and labels, so that no parser can see the answer.

    With ``tags``, they lose their tags, features and lemmas as well.
    """
    for sentence in sentences:
        bare = sentence.copy()
        for word in bare.words:
            word.head, word.deprel, word.deps = None, "_", "_"
            if tags:
                word.lemma = word.upos = word.xpos = word.feats = "_"
        yield bare


def _with_calibration(scores: Evaluation, gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> Evaluation:
    found = reported_outcomes(gold, parsed)
    errors = {quantity: expected_calibration_error(outcomes) for quantity, outcomes in found.items()}
    return dataclasses.replace(scores, calibration=errors)


def _check_options(options: ParseOptions, from_text: bool, *, has_model: bool) -> None:
    changed = [item.name for item in dataclasses.fields(options) if getattr(options, item.name) != item.default]
    asked = [*(["from_text"] if from_text else []), *changed]
    if asked and not has_model:
        raise UsageError(f"evaluate: expected a model for the options {', '.join(asked)}, found none")
    if options.n_best != 1:
        raise UsageError(f"evaluate: n_best: expected one tree a sentence, found {options.n_best}")
    if options.needs_probabilities:
        raise UsageError(
            "evaluate: probabilities and min_confidence change no score; for how good they are: calibration"
        )


def _read(source: str | os.PathLike[str] | Iterable[Sentence], side: str) -> tuple[Iterable[Sentence], str]:
    """Return sentences, of which there must be one at least, and what messages call them."""
    if isinstance(source, str | os.PathLike):
        side = os.fspath(source)
        source = read_treebank(source)
    return require_sentences(source, side), side


def _load(
    model: Model | Sequence[str | os.PathLike[str]],
    precision: str | None,
    device: str,
    engine: str,
    threads: int | None,
) -> tuple[SentenceParser, str]:
    """Return a model, loaded if it is not, and what messages call it."""
    if not isinstance(model, str | os.PathLike | Sequence):
        return model, model.name
    from pointree.ensemble import load_models
    from pointree.running.threads import prepare_process

    prepare_process(threads)
    names = [os.fspath(name) for name in ([model] if isinstance(model, str | os.PathLike) else model)]
    return load_models(names, precision=precision, device=device, engine=engine), " + ".join(names)


def _parse(
    parser: SentenceParser, gold: Sequence[Sentence], text: str | None, options: ParseOptions
) -> Iterable[Sentence]:
    if text is not None:
        return parser.parse_text(text, options)
    return parser.stream(without_annotation(gold, tags=options.retag), options, copy=False)


def _counted(
    sentences: Iterable[Sentence], on_progress: OnProgress | None, total: int | None = None
) -> Iterator[Sentence]:
    for number, sentence in enumerate(sentences, 1):
        yield sentence
        if on_progress is not None:
            on_progress(number, total)
