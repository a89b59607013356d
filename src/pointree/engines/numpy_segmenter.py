"""The network of the segmenter in numpy, for engines without torch; `pointree.nn.segmenter` has the formulas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pointree.models.quantise import dequantise
from pointree.text.char_segmenter import CharSegmenter, SegmenterRules

__all__ = ["NumpyScores", "numpy_segmenter"]

_PREFIX = "segmenter."

FloatArray = NDArray[np.float32]


def numpy_segmenter(rules: SegmenterRules, weights: Mapping[str, np.ndarray]) -> CharSegmenter:
    """What cuts text by the weights of a model, however they are stored."""
    scores = NumpyScores({name: array for name, array in weights.items() if name.startswith(_PREFIX)})
    return CharSegmenter(rules, scores, scores.margin)


class NumpyScores:
    """The scores of windows of characters."""

    def __init__(self, stored: Mapping[str, np.ndarray]) -> None:
        weights = {name.removeprefix(_PREFIX): array for name, array in dequantise(stored).items()}
        self._chars, self._shapes = weights["chars"], weights["shapes"]
        n_layers = sum(name.startswith("layers.") and name.endswith(".weight") for name in weights)
        names = [f"layers.{layer}" for layer in range(n_layers)]
        self._layers = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
        self._output = weights["output.weight"], weights["output.bias"]

    @property
    def margin(self) -> int:
        """How many characters on each side a score depends on."""
        return (1 << len(self._layers)) - 1

    def __call__(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> FloatArray:
        """*Shape:* ``(batch_size, n)`` to ``(batch_size, n, n_classes)``."""
        n = chars.shape[1]
        hidden = np.maximum(self._chars[chars] + self._shapes[shapes], 0)
        for layer, (weight, bias) in enumerate(self._layers):
            reach = 2**layer
            padded = np.pad(hidden, ((0, 0), (reach, reach), (0, 0)))
            windows = np.concatenate([padded[:, shift * reach : shift * reach + n] for shift in range(3)], axis=2)
            update = windows.reshape(-1, len(weight)) @ weight + bias
            hidden = hidden + np.maximum(update, 0).reshape(hidden.shape)
        weight, bias = self._output
        scores: FloatArray = hidden @ weight + bias
        return scores
