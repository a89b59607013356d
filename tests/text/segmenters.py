"""Segmenters by rule, with scores such as a network gives, for tests of what is made of the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from pointree.text.alphabet import SPACES, Alphabet
from pointree.text.char_segmenter import CharSegmenter, SegmenterRules
from pointree.text.expansion import EndingRule, Expansion

LETTERS = "abcdefghijklmnopqrstuvwxyz.,!? \n"
MARGIN = 2


def rule_scores(chars: Any, shapes: Any) -> Any:
    """Punctuation is a token of its own, a full stop ends a sentence, and a token in "ki" stands for two words."""
    alphabet = Alphabet(LETTERS)
    number = {letter: int(alphabet(letter)[0]) for letter in LETTERS}
    following = np.roll(chars, -1, axis=1)
    stops = [number[letter] for letter in ".,!?"]
    stop, next_stop = np.isin(chars, stops), np.isin(following, stops)
    scores = np.full((*chars.shape, 3), -1.0, dtype=np.float32)
    scores[..., 0] = np.where(stop | next_stop | SPACES[np.roll(shapes, -1, axis=1)], 1.0, -1.0)
    scores[..., 1] = np.where(chars == number["."], 1.0, np.where(chars == number[","], -0.5, -1.0))
    scores[..., 2] = np.where((chars == number["i"]) & (np.roll(chars, 1, axis=1) == number["k"]), 1.0, -1.0)
    return scores


def rule_segmenter(*, spaces: bool = False) -> CharSegmenter:
    """A segmenter by rule."""
    expansion = Expansion({"ki": ("k", "i")}, [EndingRule("", "ki", ("*", "ki"), 0)])
    return CharSegmenter(SegmenterRules(Alphabet(LETTERS), expansion, spaces), rule_scores, MARGIN)


def random_segmenter(seed: int = 1) -> CharSegmenter:
    """A segmenter that decides by a hash of a character and its neighbours: anything may end anywhere."""

    def scores(chars: Any, shapes: Any) -> Any:
        mixed = chars * 7919 + np.roll(chars, 1, axis=1) * 104729 + np.roll(shapes, -1, axis=1) * 1299709 + seed
        found = np.stack([((mixed * factor) % 1009) / 504.5 - 1 for factor in (31, 37, 41)], axis=-1)
        found[..., 1] -= 0.8
        return found.astype(np.float32)

    return CharSegmenter(SegmenterRules(Alphabet(LETTERS), Expansion()), scores, MARGIN)
