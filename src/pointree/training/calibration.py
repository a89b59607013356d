"""Fit the scales of probabilities on a dev treebank; see `pointree.models.calibration`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.evaluation.calibration import Outcomes, expected_calibration_error
from pointree.evaluation.run import without_annotation
from pointree.files import writing
from pointree.models.calibration import Calibration, Scale
from pointree.models.folder import write_manifest
from pointree.models.layout import CALIBRATION
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.treebank.formats import read_all
from pointree.treebank.sentence import Sentence

__all__ = ["Fitted", "calibrate", "calibrate_folder", "fit_scale", "outcomes_of"]

_PART = 256
"""Sentences that are parsed between two reports of progress."""

_TEMPERATURES = float(np.log(0.25)), float(np.log(8.0))
_CEILINGS = 0.9, 1.0
_ROUNDS, _STEPS = 4, 13
_LEAST = 1e-7
"""Probabilities come in 32 bits: what is nearer to 0 or 1 cannot be told from them."""


def fit_scale(outcomes: Outcomes) -> Scale:
    """The scale under which these outcomes are likeliest, by a grid that is made finer and finer."""
    right = np.array(outcomes.right)
    probabilities = np.clip(np.array(outcomes.probabilities), _LEAST, 1.0 - _LEAST)
    log_odds = np.log(probabilities) - np.log1p(-probabilities)
    (low, high), (bottom, top) = _TEMPERATURES, _CEILINGS
    best = (np.inf, 0.0, 1.0)
    for _round in range(_ROUNDS):
        for log_temperature in np.linspace(low, high, _STEPS):
            scaled = 1.0 / (1.0 + np.exp(-log_odds / np.exp(log_temperature)))
            for ceiling in np.linspace(bottom, top, _STEPS):
                best = min(best, (_loss(ceiling * scaled, right), log_temperature, ceiling))
        width, height = (high - low) / _STEPS, (top - bottom) / _STEPS
        low, high = (float(np.clip(best[1] + side * width, *_TEMPERATURES)) for side in (-1, 1))
        bottom, top = (float(np.clip(best[2] + side * height, *_CEILINGS)) for side in (-1, 1))
    return Scale(round(float(np.exp(best[1])), 4), round(float(best[2]), 4))


def _loss(probabilities: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    clipped = np.clip(probabilities, _LEAST, 1.0 - _LEAST)
    return float(-np.where(right, np.log(clipped), np.log1p(-clipped)).mean())


@dataclass(frozen=True, slots=True)
class Fitted:
    """A scale, and the expected calibration error of its dev treebank before and after."""

    scale: Scale
    before: float
    after: float


def calibrate(
    model: str | os.PathLike[str],
    dev: str | os.PathLike[str] | Sequence[Sentence],
    *,
    device: str = "cpu",
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, Fitted]:
    """Fit a model's scales on a treebank that it was not trained on, and write them into its folder.

        >>> pointree.calibrate("model", "dev.conllu")["head"].after

    Trees and tags stay as they are; the probabilities that the model reports change.

    Args:
        model: The folder of a trained model.
        dev: A treebank, or its sentences.
        device: Where to compute.
        on_progress: Called with the sentences that are parsed, and all of them.
    """
    folder = Path(model)
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such model folder")
    sentences = read_all(dev) if isinstance(dev, str | os.PathLike) else dev
    return calibrate_folder(folder, Parser.load(folder, device=device), sentences, on_progress)


def calibrate_folder(
    folder: Path,
    parser: Parser,
    dev: Sequence[Sentence],
    on_progress: Callable[[int, int], None] | None = None,
) -> dict[str, Fitted]:
    """The same for the parser of a folder that is loaded already."""
    fitted = {}
    for quantity, outcomes in outcomes_of(parser, dev, on_progress).items():
        scale = fit_scale(outcomes)
        scaled = Outcomes([scale(probability) for probability in outcomes.probabilities], outcomes.right)
        fitted[quantity] = Fitted(scale, *map(expected_calibration_error, (outcomes, scaled)))
    with writing(folder):
        Calibration({quantity: found.scale for quantity, found in fitted.items()}).save(folder / CALIBRATION)
        write_manifest(folder)
    return fitted


def outcomes_of(
    parser: Parser, gold: Sequence[Sentence], on_progress: Callable[[int, int], None] | None = None
) -> dict[str, Outcomes]:
    """What the network itself thinks of its greedy parses of gold words, and whether it is right."""
    found: defaultdict[str, Outcomes] = defaultdict(Outcomes)
    deprels, columns = parser.vocabularies.deprels.symbols, parser.vocabularies.columns
    options = ParseOptions(probabilities=True)
    tags_itself = bool(columns) or parser.text_model is not None  # as it will for raw text
    for start in range(0, len(gold), _PART):
        part = gold[start : start + _PART]
        given = list(parser.tagged(without_annotation(part, tags=tags_itself), copy=False))
        for sentence, (tree,) in zip(part, parser.trees(given, options), strict=True):
            values = columns.decoded(tree.columns.numbers, sentence.forms)
            for place, word in enumerate(sentence.words):
                found["head"].add(tree.head_probs[place], tree.heads[place] == word.head)
                found["deprel"].add(tree.label_probs[place], deprels[tree.labels[place]] == word.deprel)
                for column, probs in tree.columns.probs.items():
                    found[column].add(probs[place], values[column][place] == getattr(word, column))
        if on_progress is not None:
            on_progress(min(start + _PART, len(gold)), len(gold))
    return dict(found)
