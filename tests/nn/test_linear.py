"""Tests of linear maps."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pointree.nn.linear import Mlp, Projection, softmax_precision


def test_projection_is_a_linear_layer_with_its_weight_transposed() -> None:
    mlp = Mlp(inputs=3, outputs=5)
    twin = nn.Linear(3, 5)
    with torch.no_grad():
        mlp.projection.bias.normal_()
        twin.weight.copy_(mlp.projection.weight.t())
        twin.bias.copy_(mlp.projection.bias)
    x = torch.randn(4, 3)
    torch.testing.assert_close(mlp.projection(x), twin(x))
    torch.testing.assert_close(mlp(x), nn.ELU()(twin(x)))


def test_the_type_is_that_of_the_input() -> None:
    assert Projection(inputs=3, outputs=5)(torch.randn(4, 3, dtype=torch.float64)).dtype == torch.float64


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
    ids=str,
)
def test_a_softmax_has_at_least_32_bits(given: torch.dtype, expected: torch.dtype) -> None:
    assert softmax_precision(torch.zeros(2, dtype=given)).dtype == expected
