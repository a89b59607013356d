"""Both sides of the array operations give the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from pointree.engines.torch_arrays import TorchArrays
from pointree.search.arrays import NumpyArrays

NUMPY, TORCH = NumpyArrays(), TorchArrays(torch.device("cpu"))
RANDOM = np.random.default_rng(5)
TABLE = RANDOM.normal(size=(4, 6)).astype(np.float32)
COLUMNS = RANDOM.integers(0, 6, (4, 1))

CALLS: dict[str, tuple[Any, ...]] = {
    "gather": (TABLE, RANDOM.integers(0, 6, (4, 3))),
    "where": (TABLE > 0, TABLE, float("-inf")),
    "minimum": (TABLE, -TABLE),
    "maximum": (TABLE, -TABLE),
    "nonzero": (TABLE[0] > 0,),
    "distinct": (np.array([5, 3, 5, 9, 3]),),
    "best": (TABLE,),
    "top": (TABLE, 3),
    "ranking": (np.array([[1.0, 2.0, 1.0, 2.0]]),),
    "exp": (TABLE,),
    "log_softmax": (np.where(TABLE > -1, TABLE, -np.inf).astype(np.float32),),
    "finite": (np.array([[np.nan, np.inf, -np.inf, 1.0]], dtype=np.float32),),
    "repeat": (np.arange(3), 2),
    "copy": (TABLE,),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpy_and_torch_agree(name: str) -> None:
    expected = getattr(NUMPY, name)(*CALLS[name])
    given = (TORCH.from_numpy(each) if isinstance(each, np.ndarray) else each for each in CALLS[name])
    found = getattr(TORCH, name)(*given)
    pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
    for one, other in pairs:
        np.testing.assert_allclose(TORCH.to_numpy(other), one, rtol=0, atol=1e-6)
        assert TORCH.to_numpy(other).dtype == one.dtype


def test_put_writes_to_one_column_of_each_row() -> None:
    one, other = TABLE.copy(), torch.from_numpy(TABLE.copy())
    NUMPY.put(one, COLUMNS, np.ones((4, 1), dtype=np.float32))
    TORCH.put(other, torch.from_numpy(COLUMNS), torch.ones(4, 1))
    assert np.array_equal(one, other.numpy())
    assert (one[np.arange(4), COLUMNS[:, 0]] == 1).all()


def test_what_numpy_has_no_type_for_comes_back_in_32_bits() -> None:
    assert TORCH.to_numpy(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
