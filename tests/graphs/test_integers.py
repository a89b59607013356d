"""Products of 8-bit numbers are exact: what is rounded is multiplied without overflow, on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

from pointree.graphs.builder import GraphBuilder
from pointree.graphs.integers import integer_product, rounded_rows, rounded_states, state_codes, summed_axis

NAME = "encoder.layers.0.input_weight"
DENSE = "embeddings.pretrained.model.model.encoder.layer.0.output.dense.weight"
RNG = np.random.default_rng(5)


def run(graph: GraphBuilder, rows: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
    options.add_external_initializers(list(weights), values)
    session = onnxruntime.InferenceSession(graph.finished().content, options, providers=["CPUExecutionProvider"])
    found: Any = session.run(["found"], {"rows": rows})[0]
    return np.asarray(found)


def product(rows: np.ndarray, codes: np.ndarray, name: str, lowest: float | None = None) -> np.ndarray:
    """``rows`` by weights that are given as whole numbers, with a scale of 1."""
    graph = GraphBuilder({NAME: (2, *codes.shape), DENSE: codes.shape})
    given = graph.input("rows", "float", ["n_rows", rows.shape[1]])
    rounded, steps = rounded_rows(graph, given, lowest)
    part = 1 if name == NAME else None
    graph.output("found", graph.op("Mul", integer_product(graph, rounded, name, part), steps))
    own = f"{name}.int8" + ("" if part is None else f".{part}")
    n_outputs = codes.shape[1] if name == NAME else codes.shape[0]
    return run(graph, rows, {own: codes, f"{own}.scale": np.ones(n_outputs, dtype=np.float32)})


@pytest.mark.parametrize("name", [NAME, DENSE])
@pytest.mark.parametrize("n_rows", [1, 7, 40])
def test_the_largest_numbers_do_not_overflow(name: str, n_rows: int) -> None:
    codes = RNG.choice(np.array([-127, 127], dtype=np.int8), size=(96, 96))
    codes[:, :3] = 127
    rows = RNG.choice(np.array([-63.0, 63.0], dtype=np.float32), size=(n_rows, 96))
    rows[0] = 63.0
    matrix = codes.astype(np.float32) if name == NAME else codes.astype(np.float32).T
    np.testing.assert_allclose(product(rows, codes, name), rows @ matrix, rtol=1e-5)


def test_a_row_of_zeros_and_rows_of_very_different_sizes() -> None:
    rows = RNG.normal(size=(4, 32)).astype(np.float32) * np.array([[0], [1e-6], [1], [1e6]], dtype=np.float32)
    codes = RNG.integers(-127, 128, size=(32, 8), dtype=np.int8)
    found, expected = product(rows, codes, NAME), rows @ codes.astype(np.float32)
    assert not found[0].any()
    errors = np.abs(found - expected)[1:].max(axis=1) / np.abs(expected)[1:].max(axis=1)
    assert errors.max() < 0.05


def test_rows_that_are_hardly_negative_are_rounded_more_finely() -> None:
    rows = np.maximum(RNG.normal(size=(50, 64)) * 2, -0.17).astype(np.float32)
    codes = RNG.integers(-127, 128, size=(64, 8), dtype=np.int8)
    expected = rows @ codes.astype(np.float32)
    coarse, fine = (np.abs(product(rows, codes, NAME, lowest) - expected).mean() for lowest in (None, -0.17))
    assert fine < coarse * 0.7


def test_states_lie_between_minus_one_and_one() -> None:
    graph = GraphBuilder({})
    rounded = state_codes(rounded_states(graph, graph.input("rows", "float", [1, 5])))
    graph.output("found", graph.op("Cast", rounded.codes, to=1))
    rows = np.array([[-1.0, -0.5, 0.0, 0.5, 1.0]], dtype=np.float32)
    found = (run(graph, rows, {}) - rounded.zero) * rounded.step
    np.testing.assert_allclose(found, rows, atol=rounded.step * 0.51)


def test_which_weights_are_multiplied() -> None:
    assert summed_axis(NAME, 3) == -2
    assert summed_axis(DENSE, 2) == -1
    assert summed_axis("embeddings.pretrained.model.model.encoder.layer.0.output.LayerNorm.weight", 1) is None
    assert summed_axis("embeddings.words", 2) is None
