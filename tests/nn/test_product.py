"""Products cut into slices are the products themselves."""

from __future__ import annotations

import pytest
import torch

from pointree.nn.product import few_rows_product, sliced_product


@pytest.mark.parametrize("slices", [1, 2, 3])
def test_slices_put_together_are_the_product(slices: int) -> None:
    left, weight = torch.randn(5, 7, dtype=torch.float64), torch.randn(7, 12, dtype=torch.float64)
    found = sliced_product(left, weight, slices)
    assert found.shape == (slices, 5, 12 // slices)
    torch.testing.assert_close(torch.cat(list(found), dim=1), left @ weight)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_product(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)  # 5 does not divide the columns
    for rows in (1, 4, 500):
        left, weight = torch.randn(rows, 7, dtype=torch.float64), torch.randn(7, 12, dtype=torch.float64)
        torch.testing.assert_close(few_rows_product(left, weight), left @ weight)
