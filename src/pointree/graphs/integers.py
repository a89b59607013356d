"""Products of 8-bit numbers: activations of 7 bits and weights of 8, with a scale for each output.

onnxruntime multiplies unsigned activations by signed weights fastest, with and without VNNI. Machines without it add
pairs of products in 16 bits, which 255 · 127 · 2 would overflow; 127 · 127 · 2 does not, so that all machines find the
same sums. A row is rounded by its own largest value or by a fixed step: nothing depends on the other rows of a batch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pointree.graphs.builder import GraphBuilder

__all__ = ["INTEGER", "Codes", "integer_product", "rounded_rows", "rounded_states", "state_codes", "summed_axis"]

INTEGER = ".int8"
"""What the name of a weight gets in 8 bits; of a matrix for each direction, followed by ``.0`` or ``.1``."""

_LARGEST = 127
_MIDDLE, _LOW = 64, 8
"""What stands for 0 among values of both signs, and among those that are hardly ever negative."""
_STATE_STEP = 1 / (_LARGEST - _MIDDLE)
_SMALLEST_STEP = 1e-30
"""So that a row of zeros is not divided by zero."""

_PRODUCTS = {
    re.compile(r"embeddings\.pretrained\.model\.model\.encoder\.layer\..+\.weight"): -1,
    re.compile(r"encoder\.layers\.\d+\.(input|recurrent)_weight"): -2,
    re.compile(r"decoders?(\..+)?\.(input_weight|recurrent_weight|fusion\.joint|input\.projection\.weight)"): -2,
    re.compile(r"labels\.head\.projection\.weight|heads\..+\.projection\.weight"): -2,
}
"""The weights of products of integers, and the axis of each that a product sums over."""


def summed_axis(name: str, n_axes: int) -> int | None:
    """The axis over which products with a weight sum, of one that int8 multiplies; None for others.

    Values along that axis share a scale.
    """
    axes = (axis for pattern, axis in _PRODUCTS.items() if pattern.fullmatch(name))
    return next(axes, None) if n_axes > 1 else None


@dataclass(frozen=True, slots=True)
class Codes:
    """Activations in 7 bits.

    Attributes:
        codes: Whole numbers from 0 to 127. *Shape:* ``(n_rows, width)``.
        zero: The number that stands for 0.
        step: What one more stands for; where rows have their own steps, a 1 that products are yet to be multiplied by.
    """

    codes: str
    zero: int
    step: float = 1.0


def rounded_rows(graph: GraphBuilder, rows: str, lowest: float | None = None) -> tuple[Codes, str]:
    """Round rows, each by its largest value, and return the steps too; no value is below ``lowest``, if given.

    *Shape:* ``rows`` is ``(n_rows, width)``, the steps are ``(n_rows, 1)``.
    """
    zero, least = (_MIDDLE, _SMALLEST_STEP) if lowest is None else (_LOW, -lowest / _LOW)
    largest = graph.op("ReduceMax", graph.op("Abs", rows) if lowest is None else rows, axes=[1], keepdims=1)
    steps = graph.op("Mul", largest, graph.constant(1 / (_LARGEST - zero), "float32"))
    steps = graph.op("Max", steps, graph.constant(least, "float32"))
    flat = graph.op("Squeeze", steps, graph.constant([1]))
    zeros = graph.op("Expand", graph.constant(zero, "uint8"), graph.op("Shape", flat))
    return Codes(graph.op("QuantizeLinear", rows, flat, zeros, axis=0), zero), steps


def rounded_states(graph: GraphBuilder, states: str) -> str:
    """Round the hidden states of an LSTM, which lie between -1 and 1; see `state_codes`. *Shape:* any."""
    return graph.op("QuantizeLinear", states, graph.constant(_STATE_STEP, "float32"), graph.constant(_MIDDLE, "uint8"))


def state_codes(rounded: str) -> Codes:
    """Hidden states that `rounded_states` has rounded."""
    return Codes(rounded, _MIDDLE, _STATE_STEP)


def integer_product(graph: GraphBuilder, codes: Codes, name: str, part: int | None = None) -> str:
    """``x W``, but for the steps of the rows of ``x`` where these have their own.

    Args:
        name: The weight, as the folder has it.
        part: The direction, of a weight that has two.
    """
    shape, axis = graph.shapes[name], summed_axis(name, len(graph.shapes[name]))
    own = f"{name}{INTEGER}" if part is None else f"{name}{INTEGER}.{part}"
    n_outputs = shape[-2] if axis == -1 else shape[-1]
    return graph.op(
        "QGemm",
        codes.codes,
        graph.constant(codes.step, "float32"),
        graph.constant(codes.zero, "uint8"),
        graph.weight(own, shape[-2:], "int8"),
        graph.weight(f"{own}.scale", (n_outputs,)),
        graph.zeros(n_outputs, np.int8),
        transB=int(axis == -1),
    )
