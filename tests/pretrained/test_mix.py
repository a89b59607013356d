"""The learned mean of layers."""

from __future__ import annotations

import torch

from pointree.pretrained.mix import ScalarMix


def test_it_starts_as_the_mean_and_learns_to_prefer_a_layer() -> None:
    torch.manual_seed(0)
    layers, mix = torch.randn(5, 3, 4), ScalarMix(3)
    torch.testing.assert_close(mix(layers), layers.mean(dim=1))
    optimiser = torch.optim.Adam(mix.parameters(), lr=0.1)
    for _ in range(100):
        optimiser.zero_grad()
        (mix(layers) - layers[:, 1]).square().sum().backward()
        optimiser.step()
    assert mix.weights.softmax(dim=0).argmax() == 1
