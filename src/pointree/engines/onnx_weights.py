"""Weights as the graphs want them: 32 bits, turned round where ONNX reads them the other way, or 8 bits as stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from pointree.graphs.integers import INTEGER, summed_axis
from pointree.models.quantise import SCALE, dequantise, integers

__all__ = ["RowTable", "graph_weight", "graph_weights"]

_TURNED = ".onnx"
"""The end of the name of a weight that a graph has in another layout than the folder."""

_GATES = (1, 0, 2, 3)
"""ONNX has the gates of an LSTM as input, output, forget, candidate; the network starts with the output gate."""


def graph_weights(stored: Mapping[str, np.ndarray], names: Iterable[str]) -> dict[str, np.ndarray]:
    """The values of all initialisers of a graph; a `KeyError` if the model has no such weight."""
    rounded: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    found: dict[str, np.ndarray] = {}
    for name in names:
        own, integer, rest = name.partition(INTEGER)
        if not integer:
            found[name] = graph_weight(stored, name)
            continue
        if own not in rounded:
            rounded[own] = _integer_weight(stored, own)
        codes, scale = rounded[own]
        part, is_scale, _nothing = rest.removeprefix(".").partition(SCALE.removeprefix("."))
        place = int(part.rstrip(".")) if part.rstrip(".") else ...
        found[name] = scale[place].astype(np.float32).reshape(-1) if is_scale else codes[place]
    return found


def _integer_weight(stored: Mapping[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers of 8 bits and their scales, as they are stored or, in other models, rounded now."""
    codes, scale = stored[name], stored.get(name + SCALE)
    axis = summed_axis(name, codes.ndim)
    if axis is None:
        raise KeyError(f"{name} in 8 bits")
    if codes.dtype == np.int8 and scale is not None and scale.shape[axis] == 1:
        missing = [place for place in range(codes.ndim) if place != codes.ndim + axis]
        if all(scale.shape[place] == codes.shape[place] for place in missing):
            return codes, scale
    return integers(graph_weight(stored, name), axis)


def graph_weight(stored: Mapping[str, np.ndarray], name: str) -> NDArray[np.float32]:
    """The values of an initialiser of a graph; a `KeyError` if the model has no such weight."""
    own = name.removesuffix(_TURNED)
    parts = {key: stored[key] for key in (own, own + SCALE) if key == own or key in stored}
    array = dequantise(parts)[own]
    if own == name:
        return np.ascontiguousarray(array)
    if array.ndim == 2:
        return np.ascontiguousarray(array.T)
    size = array.shape[2] // 4
    turned = np.empty((2, 4 * size, array.shape[1]), dtype=np.float32)
    for place, gate in enumerate(_GATES):
        turned[:, place * size : (place + 1) * size] = array[:, :, gate * size : (gate + 1) * size].swapaxes(1, 2)
    if own.endswith("bias"):  # ONNX adds a second bias to the recurrent product
        return np.concatenate((turned[:, :, 0], np.zeros((2, 4 * size), dtype=np.float32)), axis=1)
    return turned


class RowTable:
    """A table of embeddings that stays as it is stored; the rows that are read become 32 bits."""

    def __init__(self, stored: Mapping[str, np.ndarray], name: str) -> None:
        self._values, self._scale = stored[name], stored.get(name + SCALE)
        self._name = name

    def __getitem__(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """*Shape:* ``(...)`` to ``(..., width)``."""
        parts = {self._name: self._values[rows]}
        if self._scale is not None:
            parts[self._name + SCALE] = self._scale[rows]
        return dequantise(parts)[self._name]
