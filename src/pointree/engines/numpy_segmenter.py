"""The network of the segmenter in numpy, for engines without torch; `pointree.nn.segmenter` has the formulas."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

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
IntArray = NDArray[np.int64]

_MOST_KNOWN = 1 << 14
"""Sequences of three characters that are remembered; a text of English has about as many."""


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


class _Known(NamedTuple):
    """What the first layers make of sequences of three characters that were seen before.

    *Shape:* ``codes`` (rising) and ``rows`` are ``(n,)``; ``tables`` is ``(4, most, size)``: the output of the first
    layer, and the products of the second with its left, middle and right weights.
    """

    codes: IntArray
    rows: IntArray
    tables: FloatArray

    def find(self, codes: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
        """The row of each code, and whether there is one."""
        places = np.minimum(np.searchsorted(self.codes, codes), max(len(self.codes) - 1, 0))
        if not len(self.codes):
            return places, np.zeros(codes.shape, dtype=bool)
        return self.rows[places], self.codes[places] == codes


class NumpyScores:
    """The scores of windows of characters. Several threads may use one at the same time."""

    def __init__(self, stored: Mapping[str, np.ndarray]) -> None:
        weights = {name.removeprefix(_PREFIX): array for name, array in dequantise(stored).items()}
        chars, self._shapes = weights["chars"], weights["shapes"]
        self._n_codes = 1 + len(chars) * len(self._shapes)
        self._chars = chars
        n_layers = sum(name.startswith("layers.") and name.endswith(".weight") for name in weights)
        names = [f"layers.{layer}" for layer in range(n_layers)]
        self._layers = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
        self._output = weights["output.weight"], weights["output.bias"]
        self._known = self._nothing_known(0)
        # Whoever does not get it remembers nothing, so a fork that inherits it locked only loses time.
        self._writing = threading.Lock()

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
        hidden = self._first_layers(chars, shapes)
        batch_size, n, size = hidden.shape
        windows = np.empty((batch_size, n, 3, size), dtype=np.float32)
        for layer, (weight, bias) in enumerate(self._layers[2:], 2):
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

    def _first_layers(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> FloatArray:
        """What the first two layers make of the characters. *Shape:* ``(batch_size, n)`` to ``(batch_size, n, size)``.

        The first sees three characters. Few sequences of three are different ones, so its output and the products of
        the second layer are computed once for each of these and looked up.
        """
        codes = self._sequences(chars, shapes)
        rows, first, left, own, right = self._look_up(codes)
        hidden = first.take(rows, axis=0)
        if len(self._layers) > 1:
            reach = min(2, codes.shape[1])
            update = own.take(rows, axis=0)
            update[:, reach:] += left.take(rows[:, :-reach], axis=0)
            update[:, :-reach] += right.take(rows[:, reach:], axis=0)
            hidden += np.maximum(update, 0, out=update)
        return hidden

    def _sequences(self, chars: NDArray[np.int64], shapes: NDArray[np.int64]) -> IntArray:
        """A number for each character with its two neighbours; beyond the ends of a window there is nothing, 0."""
        codes = chars * len(self._shapes) + shapes + 1
        found: IntArray = codes * self._n_codes
        found[:, 1:] += codes[:, :-1] * self._n_codes**2
        found[:, :-1] += codes[:, 1:]
        return found

    def _look_up(self, codes: IntArray) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """The rows of sequences in four tables, and the tables; see `_Known`."""
        known = self._known
        rows, is_known = known.find(codes)
        if not is_known.all():
            known = self._learn(known, np.unique(codes[~is_known]), codes)
            rows, _all = known.find(codes)
        first, left, own, right = known.tables
        return rows, first, left, own, right

    def _learn(self, known: _Known, new: IntArray, codes: IntArray) -> _Known:
        """What is known, and new sequences; where there is no room for them, only what these texts have."""
        may_write = self._writing.acquire(blocking=False)
        try:
            size = len(known.codes)
            if not may_write or known is not self._known or size + len(new) > known.tables.shape[1]:
                new = np.unique(codes)
                known, size = self._nothing_known(max(_MOST_KNOWN, len(new))), 0
            # Others that read these tables know nothing of the rows that are written now.
            known.tables[:, size : size + len(new)] = self._computed(new)
            places = np.searchsorted(known.codes, new)
            rows = np.insert(known.rows, places, np.arange(size, size + len(new)))
            known = _Known(np.insert(known.codes, places, new), rows, known.tables)
            if may_write:
                self._known = known
            return known
        finally:
            if may_write:
                self._writing.release()

    def _nothing_known(self, most: int) -> _Known:
        none = np.zeros(0, dtype=np.int64)
        return _Known(none, none, np.empty((4, most, self._chars.shape[1]), dtype=np.float32))

    def _computed(self, codes: IntArray) -> FloatArray:
        """The rows of the tables for sequences of three characters. *Shape:* ``(n,)`` to ``(4, n, size)``."""
        code, right = np.divmod(codes, self._n_codes)
        left, own = np.divmod(code, self._n_codes)
        weight, bias = self._layers[0]
        vectors = [self._vectors(each) for each in (left, own, right)]
        hidden = vectors[1] + np.maximum(np.concatenate(vectors, axis=1) @ weight + bias, 0)
        found = np.empty((4, *hidden.shape), dtype=np.float32)
        found[0] = hidden
        if len(self._layers) > 1:
            weight, bias = self._layers[1]
            np.matmul(hidden, weight.reshape(3, hidden.shape[1], -1), out=found[1:])
            found[2] += bias
        return found

    def _vectors(self, codes: IntArray) -> FloatArray:
        """The input of the first layer. *Shape:* ``(n,)`` to ``(n, size)``."""
        char, shape = np.divmod(np.maximum(codes - 1, 0), len(self._shapes))
        found: FloatArray = np.maximum(self._chars[char] + self._shapes[shape], 0)
        found[codes == 0] = 0
        return found
