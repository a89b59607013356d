"""The network of the segmenter in numpy, for engines without torch; `pointree.nn.segmenter` has the formulas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pointree.errors import ModelError
from pointree.models.quantise import dequantise
from pointree.text.alphabet import N_SHAPES
from pointree.text.boundaries import N_CLASSES
from pointree.text.char_segmenter import CharSegmenter, SegmenterRules

__all__ = ["NumpyScores", "numpy_segmenter"]

_PREFIX = "segmenter."
_MAX_LAYERS = 16
"""Each layer doubles the characters that a score depends on."""

FloatArray = NDArray[np.float32]


def numpy_segmenter(
    rules: SegmenterRules, weights: Mapping[str, np.ndarray], *, name: str = "the model"
) -> CharSegmenter:
    """What cuts text by the weights of a model, however they are stored; ``name`` is what messages call the model."""
    try:
        scores = NumpyScores({key: array for key, array in weights.items() if key.startswith(_PREFIX)})
    except KeyError as error:
        missing = f"{error.args[0]!s:.80} is missing"
        raise ModelError(f"{name}: the weights of the segmenter are not complete: {missing}") from None
    scores.check(len(rules.alphabet), name)
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

    def check(self, n_chars: int, name: str) -> None:
        """Refuse weights that fit neither each other nor an alphabet of so many characters."""
        size = self._chars.shape[-1] if self._chars.ndim else 0
        expected = [(n_chars, size), (N_SHAPES, size), (size, N_CLASSES), (N_CLASSES,)]
        expected += [shape for _layer in self._layers for shape in ((3 * size, size), (size,))]
        arrays = [self._chars, self._shapes, *self._output, *(array for layer in self._layers for array in layer)]
        for shape, array in zip(expected, arrays, strict=True):
            if array.shape != shape:
                problem = f"expected the shape {shape}, found {array.shape}"
                raise ModelError(f"{name}: the weights of the segmenter do not fit: {problem}")
        if not 1 <= len(self._layers) <= _MAX_LAYERS:
            raise ModelError(f"{name}: the segmenter: expected 1 to {_MAX_LAYERS} layers, found {len(self._layers)}")

    @property
    def margin(self) -> int:
        """How many characters on each side a score depends on."""
        return (1 << len(self._layers)) - 1

    def __call__(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> FloatArray:
        """*Shape:* ``(batch_size, n)`` to ``(batch_size, n, n_classes)``."""
        hidden = self._first_layer(chars, shapes)
        batch_size, n, size = hidden.shape
        windows = np.empty((batch_size, n, 3, size), dtype=np.float32)
        for layer, (weight, bias) in enumerate(self._layers[1:], 1):
            reach = min(2**layer, n)
            windows[:, :reach, 0] = 0
            windows[:, reach:, 0] = hidden[:, : n - reach]
            windows[:, :, 1] = hidden
            windows[:, : n - reach, 2] = hidden[:, reach:]
            windows[:, n - reach :, 2] = 0
            update = windows.reshape(-1, len(weight)) @ weight
            update += bias
            hidden += np.maximum(update, 0, out=update).reshape(hidden.shape)
        weight, bias = self._output
        scores: FloatArray = hidden.reshape(-1, size) @ weight + bias
        return scores.reshape(batch_size, n, -1)

    def _first_layer(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> FloatArray:
        """What the first layer makes of the characters. *Shape:* ``(batch_size, n)`` to ``(batch_size, n, size)``.

        Few characters are different ones, so its products are computed once for each of these and looked up.
        """
        n_shapes = len(self._shapes)
        found, places = np.unique(chars * n_shapes + shapes, return_inverse=True)
        places = places.reshape(chars.shape)
        different = np.maximum(self._chars[found // n_shapes] + self._shapes[found % n_shapes], 0)
        weight, bias = self._layers[0]
        left, own, right = (different @ part for part in np.split(weight, 3))
        update = (own + bias)[places]
        update[:, 1:] += left[places[:, :-1]]
        update[:, :-1] += right[places[:, 1:]]
        hidden: FloatArray = different[places]
        hidden += np.maximum(update, 0, out=update)
        return hidden
