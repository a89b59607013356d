"""Adam for all parameters: fused for the dense ones, row by row for the word table, of which a batch touches little."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pointree.config import TrainingConfig
from pointree.nn.model import PointerNetwork

__all__ = ["Optimiser"]


class Optimiser:
    """Clips gradients, then updates; its state goes to checkpoints as plain tensors."""

    def __init__(self, network: PointerNetwork, config: TrainingConfig) -> None:
        self.clip = config.clip
        table = network.embeddings.words
        self.names = {id(parameter): name for name, parameter in network.named_parameters()}
        self.dense = [parameter for parameter in network.parameters() if parameter is not table]
        self.sparse: list[nn.Parameter] = [] if table is None else [table]
        betas = (config.beta1, config.beta2)
        self.optimisers: list[torch.optim.Optimizer] = [
            torch.optim.Adam(self.dense, lr=config.learning_rate, betas=betas, eps=config.epsilon, fused=True)
        ]
        if self.sparse:
            self.optimisers.append(
                torch.optim.SparseAdam(self.sparse, lr=config.learning_rate, betas=betas, eps=config.epsilon)
            )

    def step(self, learning_rate: float) -> float:
        """Update the parameters from their gradients, clear these, and return the norm they had."""
        gradients = [parameter.grad for parameter in self.dense if parameter.grad is not None]
        for parameter in self.sparse:
            if parameter.grad is not None:
                parameter.grad = parameter.grad.coalesce()
                gradients.append(parameter.grad._values())
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        if self.clip and float(norm) > self.clip:
            torch._foreach_mul_(gradients, self.clip / (float(norm) + 1e-6))
        for optimiser in self.optimisers:
            optimiser.param_groups[0]["lr"] = learning_rate
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        return float(norm)

    def state(self) -> dict[str, Tensor]:
        """The moments and step counts of every parameter, by name."""
        tensors: dict[str, Tensor] = {}
        for optimiser in self.optimisers:
            for parameter, values in optimiser.state.items():
                for key, value in values.items():
                    tensors[f"{self.names[id(parameter)]}/{key}"] = torch.as_tensor(value)
        return tensors

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `state` returned."""
        for optimiser in self.optimisers:
            for parameter in optimiser.param_groups[0]["params"]:
                prefix = self.names[id(parameter)] + "/"
                values = {
                    name.removeprefix(prefix): tensor
                    for name, tensor in tensors.items()
                    if name.startswith(prefix) and "/" not in name.removeprefix(prefix)
                }
                if not values:
                    continue
                if isinstance(optimiser, torch.optim.SparseAdam):
                    values["step"] = int(values["step"])  # type: ignore[assignment]
                optimiser.state[parameter] = values
