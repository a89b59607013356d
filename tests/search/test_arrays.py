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

ONE_ROW = TABLE[:1]

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


ONE_ROW_CALLS: dict[str, tuple[Any, ...]] = {
    "gather": (ONE_ROW, np.array([[4, 0, 4]])),
    "best": (ONE_ROW,),
    "log_softmax": (ONE_ROW,),
    "finite": (np.array([[1e30, -2e30, 3.0]], dtype=np.float32),),
}


@pytest.mark.parametrize(("name", "arguments"), [*CALLS.items(), *ONE_ROW_CALLS.items()])
def test_numpy_and_torch_agree(name: str, arguments: tuple[Any, ...]) -> None:
    expected = getattr(NUMPY, name)(*arguments)
    given = (TORCH.from_numpy(each) if isinstance(each, np.ndarray) else each for each in arguments)
    found = getattr(TORCH, name)(*given)
    pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
    for one, other in pairs:
        np.testing.assert_allclose(TORCH.to_numpy(other), one, rtol=0, atol=1e-6)
        assert TORCH.to_numpy(other).dtype == one.dtype


@pytest.mark.parametrize("count", [1, 4])
def test_put_writes_to_one_column_of_each_row(count: int) -> None:
    table, columns = TABLE[:count], COLUMNS[:count]
    one, other = table.copy(), torch.from_numpy(table.copy())
    NUMPY.put(one, columns, np.ones((count, 1), dtype=np.float32))
    TORCH.put(other, torch.from_numpy(columns), torch.ones(count, 1))
    assert np.array_equal(one, other.numpy())
    assert (one[np.arange(count), columns[:, 0]] == 1).all()


def test_what_numpy_has_no_type_for_comes_back_in_32_bits() -> None:
    assert TORCH.to_numpy(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
