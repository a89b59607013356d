"""The moving average against one that moves at every step."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pointree.training import average as module
from pointree.training.average import MovingAverage


def test_it_moves_every_few_steps_by_as_much_as_it_has_missed() -> None:
    network = nn.Linear(1, 1, bias=False)
    nn.init.constant_(network.weight, 5.0)
    average = MovingAverage(network, 0.9)
    nn.init.constant_(network.weight, 1.0)
    kept = 1.0
    for step in range(1, module._EVERY + 1):
        assert average.weights["weight"].item() == 5.0
        kept *= min(0.9, (1 + step) / (10 + step))
        average.follow(step)
    assert average.weights["weight"].item() == pytest.approx(1.0 + 4.0 * kept)
    assert average.step == module._EVERY


def test_it_can_catch_up_at_any_time() -> None:
    network = nn.Linear(1, 1, bias=False)
    nn.init.constant_(network.weight, 0.0)
    average = MovingAverage(network, 0.5)
    average.step = 1000
    nn.init.constant_(network.weight, 8.0)
    average.catch_up(1002)
    assert average.weights["weight"].item() == pytest.approx(6.0)
    average.catch_up(1002)
    assert average.weights["weight"].item() == pytest.approx(6.0)


def test_the_network_keeps_its_weights() -> None:
    network = nn.Linear(2, 2)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    average = MovingAverage(network, 0.9)
    average.weights["weight"].zero_()
    average.catch_up(3)
    for name, tensor in network.state_dict().items():
        torch.testing.assert_close(tensor, before[name], rtol=0, atol=0)


def test_another_average_goes_on_from_its_state() -> None:
    network = nn.Linear(1, 1, bias=False)
    first, second = MovingAverage(network, 0.5), MovingAverage(network, 0.5)
    nn.init.constant_(network.weight, 3.0)
    first.catch_up(7)
    second.load_state(first.state())
    assert (second.step, second.weights["weight"].item()) == (7, first.weights["weight"].item())
    first.restart()
    assert (first.step, first.weights["weight"].item()) == (7, 3.0)
