"""Tests of how parameters start."""

from __future__ import annotations

import math

import torch

from pointree.nn import initialise


def test_xavier_fills_its_bounds() -> None:
    torch.manual_seed(0)
    parameter = initialise.xavier(60, 40, fan_in=60, fan_out=40)
    bound = math.sqrt(6 / 100)
    assert 0.95 * bound < parameter.abs().max().item() <= bound
    assert abs(parameter.mean().item()) < 0.01
    assert parameter.requires_grad


def test_recurrent_weights_are_uniform_to_one_over_the_root_of_the_size() -> None:
    torch.manual_seed(0)
    parameter = initialise.recurrent(2, 16, 64, size=16)
    assert parameter.shape == (2, 16, 64)
    assert 0.95 / 4 < parameter.abs().max().item() <= 1 / 4


def test_biases_are_zero() -> None:
    assert not initialise.bias(3, 2).any()
