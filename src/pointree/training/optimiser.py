"""Adam for all parameters: fused for dense ones, sparse for the word table, of which a batch uses few rows.

A pretrained model that is fine-tuned has its own learning rate, and the usual moments of Adam.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from pointree.config import TrainingConfig
from pointree.nn.model import PointerNetwork

__all__ = ["Optimiser"]


class Optimiser:
    """Clips gradients, then updates; its state goes to checkpoints as plain tensors."""

    optimisers: list[torch.optim.Optimizer]

    def __init__(self, network: PointerNetwork, config: TrainingConfig) -> None:
        self.clip = config.clip
        table, pretrained = network.embeddings.words, network.embeddings.pretrained
        tuned = None if pretrained is None else pretrained.model
        of_pretrained: list[nn.Parameter] = [] if tuned is None else list(tuned.parameters())
        self.pretrained = [parameter for parameter in of_pretrained if parameter.requires_grad]
        apart = {id(parameter) for parameter in (table, *of_pretrained)}
        self.names = {id(parameter): name for name, parameter in network.named_parameters()}
        self.dense = [parameter for parameter in network.parameters() if id(parameter) not in apart]
        self.sparse: list[nn.Parameter] = [] if table is None else [table]
        betas = (config.beta1, config.beta2)
        self.optimisers = [
            torch.optim.Adam(self.dense, lr=config.learning_rate, betas=betas, eps=config.epsilon, fused=True)
        ]
        if self.sparse:
            self.optimisers.append(
                torch.optim.SparseAdam(self.sparse, lr=config.learning_rate, betas=betas, eps=config.epsilon)
            )
        if self.pretrained:
            self.optimisers.append(torch.optim.Adam(self.pretrained, fused=True))

    def step(self, learning_rate: float, pretrained_rate: float = 0.0) -> float:
        """Update the parameters from their gradients, clear the gradients, and return the norm that they had."""
        parameters = (*self.dense, *self.pretrained)
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        for parameter in self.sparse:
            if parameter.grad is not None:
                parameter.grad = parameter.grad.coalesce()
                gradients.append(parameter.grad._values())
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        if self.clip and float(norm) > self.clip:
            torch._foreach_mul_(gradients, self.clip / (float(norm) + 1e-6))
        for optimiser in self.optimisers:
            pretrained = bool(self.pretrained) and optimiser is self.optimisers[-1]
            optimiser.param_groups[0]["lr"] = pretrained_rate if pretrained else learning_rate
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

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Load what `state` returned."""
        for optimiser in self.optimisers:
            for parameter in optimiser.param_groups[0]["params"]:
                prefix = self.names[id(parameter)] + "/"
                values = {
                    name.removeprefix(prefix): tensor
                    for name, tensor in state.items()
                    if name.startswith(prefix) and "/" not in name.removeprefix(prefix)
                }
                if not values:
                    continue
                if isinstance(optimiser, torch.optim.SparseAdam):
                    values["step"] = int(values["step"])  # type: ignore[assignment]
                optimiser.state[parameter] = values

    def restart(self) -> None:
        """Forget all moments."""
        for optimiser in self.optimisers:
            optimiser.state.clear()
