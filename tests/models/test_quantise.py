"""Weights in fewer bits: how far they move, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pointree.errors import ModelError
from pointree.models.quantise import Bits, dequantise, quantise


def test_groups_of_columns_have_scales_of_their_own() -> None:
    row = np.concatenate((np.linspace(-1, 1, 128), np.linspace(-1e-3, 1e-3, 128))).astype(np.float32)[None]
    stored = quantise({"x": row}, 8)
    assert stored["x"].shape == (1, 256)
    assert stored["x.scale"].shape == (1, 2)
    error = np.abs(dequantise(stored)["x"] - row)
    assert float(error[0, 128:].max()) <= 1e-3 / 127 / 2 + 1e-9


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
