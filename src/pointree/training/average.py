"""A moving average of the weights: it is what is evaluated and kept, while training goes on with the weights."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

__all__ = ["MovingAverage"]

_EVERY = 8
"""Steps between two updates, each of which reads all weights and writes all averages."""
_STEP = "step"


class MovingAverage:
    """Follows the weights of a network.

    Attributes:
        weights: The average, by the names of the network's state.
        step: The optimiser step up to which it has followed.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.network = network
        self.decay = decay
        self.step = 0
        self.weights: dict[str, Tensor] = {}
        self.restart()

    def follow(self, step: int) -> None:
        """Note that the network has made this step; the average moves every few of them."""
        if step - self.step >= _EVERY:
            self.catch_up(step)

    @torch.no_grad()
    def catch_up(self, step: int) -> None:
        """Move now."""
        if step == self.step:
            return
        # A young average follows the weights closely, or it would remember their random start for long.
        kept = math.prod(min(self.decay, (1 + past) / (10 + past)) for past in range(self.step + 1, step + 1))
        names, tensors = zip(*self.network.state_dict().items(), strict=True)
        torch._foreach_lerp_([self.weights[name] for name in names], list(tensors), 1.0 - kept)
        self.step = step

    def state(self) -> dict[str, Tensor]:
        """The average, and how far it has followed; see `Technique`."""
        return {**self.weights, _STEP: torch.tensor(self.step)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """See `Technique`."""
        self.weights = {name: tensor for name, tensor in state.items() if name != _STEP}
        self.step = int(state[_STEP])

    def restart(self) -> None:
        """See `Technique`."""
        self.weights = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
