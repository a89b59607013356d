"""Weights in fewer bits: how far they move, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pointree.errors import ModelError
from pointree.models.quantise import Bits, dequantise, quantise, round_to_4_bits


def test_groups_of_columns_have_scales_of_their_own() -> None:
    row = np.concatenate((np.linspace(-1, 1, 128), np.linspace(-1e-3, 1e-3, 128))).astype(np.float32)[None]
    stored = quantise({"x": row}, 8)
    assert stored["x"].shape == (1, 256)
    assert stored["x.scale"].shape == (1, 2)
    error = np.abs(dequantise(stored)["x"] - row)
    assert float(error[0, 128:].max()) <= 1e-3 / 127 / 2 + 1e-9


@pytest.mark.parametrize(
    ("name", "shape", "scales"),
    [
        ("encoder.layers.0.input_weight", (2, 256, 12), (2, 1, 12)),
        ("encoder.layers.1.recurrent_weight", (2, 3, 12), (2, 1, 12)),
        ("embeddings.pretrained.model.model.encoder.layer.1.output.dense.weight", (5, 256), (5, 1)),
    ],
)
def test_matrices_that_int8_multiplies_have_a_scale_for_each_output(
    name: str, shape: tuple[int, ...], scales: tuple[int, ...]
) -> None:
    matrix = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    stored = quantise({name: matrix}, 8)
    assert stored[name].dtype == np.int8
    assert (stored[name].shape, stored[name + ".scale"].shape) == (shape, scales)
    assert stored[name].flags.c_contiguous
    axis = scales.index(1)
    steps = np.abs(matrix).max(axis=axis, keepdims=True) / 127
    assert bool((np.abs(dequantise(stored)[name] - matrix) <= steps * 0.51).all())


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_rounded(bits: Bits, value: float) -> None:
    with pytest.raises(ModelError, match=r"^x: expected numbers, found NaN or infinity$"):
        quantise({"x": np.array([[1.0, value]], dtype=np.float32)}, bits)


def test_a_row_of_zeros_stays_one_in_eight_bits() -> None:
    matrix = np.array([[0.0, 0.0], [1.0, -0.5]], dtype=np.float32)
    assert np.array_equal(dequantise(quantise({"x": matrix}, 8))["x"][0], matrix[0])


def test_small_numbers_in_eight_bits_keep_their_precision() -> None:
    matrix = 1e-6 * np.linspace(-1, 1, 100, dtype=np.float32)[None]
    np.testing.assert_allclose(dequantise(quantise({"x": matrix}, 8))["x"], matrix, rtol=0, atol=1e-6 / 127 / 2 * 1.01)
    large = 1e9 * np.linspace(-1, 1, 100, dtype=np.float32)[None]
    np.testing.assert_allclose(dequantise(quantise({"x": large}, 8))["x"], large, rtol=0, atol=1e9 / 127 / 2 * 1.01)


@pytest.mark.parametrize(("columns", "groups"), [(64, 2), (100, 4), (50, 2), (6, 1)])
def test_a_table_that_was_rounded_to_four_bits_loses_nothing_more(columns: int, groups: int) -> None:
    table = round_to_4_bits(np.random.default_rng(2).normal(size=(9, columns)).astype(np.float32))
    stored = quantise({"x": table}, 8)
    assert stored["x"].dtype == np.uint8
    assert (stored["x"].shape, stored["x.scale"].shape) == ((9, columns // 2), (9, groups))
    assert np.array_equal(dequantise(stored)["x"], table)


def test_four_bits_are_off_by_half_a_step_at_most() -> None:
    table = np.random.default_rng(3).normal(size=(40, 100)).astype(np.float32)
    groups = np.abs(table.reshape(40, 4, 25))
    error = np.abs(round_to_4_bits(table) - table).reshape(40, 4, 25)
    assert bool((error <= groups.max(axis=2, keepdims=True) / 7 * 0.51).all())


def test_four_bits_need_an_even_number_of_columns() -> None:
    with pytest.raises(ModelError, match=r"^expected a matrix with an even number of columns for 4 bits, found 33$"):
        round_to_4_bits(np.ones((2, 33), dtype=np.float32))
