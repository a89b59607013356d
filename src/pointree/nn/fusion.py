"""Fusion of the previous decoder state with those of attached dependents, through a gate (paper §3.1).

    h' = tanh(W_p s_{t-1} + Σ_k W_k s_k)          k over the slots that the fusion uses
    g  = sigmoid(W_gp s_{t-1} + Σ_k W_gk s_k + b)            GATE1
    g  = sigmoid(Σ_k W_gk (s_{t-1} ⊙ s_k) + b)               GATE2
    h'' = g ⊙ h'

The same weights serve the hidden state and the cell, which lie as two rows of one matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from pointree.nn import initialise

__all__ = ["Fusion", "FusionGradients", "FusionWeights", "fuse"]


class FusionWeights(NamedTuple):
    """The weights of a fusion: columns are value then gate for GATE1; GATE2 has its gate apart.

    *Shape:* ``joint`` is ``((1 + n_slots) · size, 2 · size)`` or, for GATE2, ``((1 + n_slots) · size, size)``;
    ``gate`` is ``(n_slots · size, size)`` and only GATE2 has it; ``gate_bias`` is ``(size,)``.
    """

    joint: Tensor
    gate: Tensor | None
    gate_bias: Tensor


class Fusion(nn.Module):
    """Holds the parameters of a fusion over ``n_slots`` dependents."""

    def __init__(self, *, size: int, n_slots: int, gate: str) -> None:
        super().__init__()
        columns = 2 if gate == "gate1" else 1
        self.joint = initialise.xavier((1 + n_slots) * size, columns * size, fan_in=size, fan_out=size)
        self.gate = None if gate == "gate1" else initialise.xavier(n_slots * size, size, fan_in=size, fan_out=size)
        self.gate_bias = initialise.bias(size)

    def weights(self, dtype: torch.dtype) -> FusionWeights:
        """The weights in the type of the computation."""
        gate = None if self.gate is None else self.gate.to(dtype)
        return FusionWeights(self.joint.to(dtype), gate, self.gate_bias.to(dtype))


def _similarities(sources: Tensor) -> Tensor:
    """The products s_{t-1} ⊙ s_k of GATE2. *Shape:* ``(n, 1 + n_slots, size)`` to ``(n, n_slots · size)``."""
    return (sources[:, :1] * sources[:, 1:]).flatten(1)


def fuse(weights: FusionWeights, sources: Tensor) -> Tensor:
    """Value and gate of each state, activated; their product is the fused state.

    *Shape:* ``sources`` is ``(n, 1 + n_slots, size)``, previous state first; returns ``(n, 2, size)``.
    """
    size = sources.shape[2]
    if weights.gate is None:
        value_and_gate = torch.mm(sources.flatten(1), weights.joint).view(-1, 2, size)
        value_and_gate[:, 1] += weights.gate_bias
    else:
        value_and_gate = sources.new_empty(sources.shape[0], 2, size)
        torch.mm(sources.flatten(1), weights.joint, out=value_and_gate[:, 0])
        torch.addmm(weights.gate_bias, _similarities(sources), weights.gate, out=value_and_gate[:, 1])
    value_and_gate[:, 0].tanh_()
    value_and_gate[:, 1].sigmoid_()
    return value_and_gate


class FusionGradients:
    """The backward pass of many fusions: coefficients and weight gradients for all steps at once.

    *Shape:* ``value_and_gate`` is ``(n_states, 2, size)``, as `fuse` returned it for all steps together.
    """

    def __init__(self, weights: FusionWeights, value_and_gate: Tensor) -> None:
        value, gate = value_and_gate[:, 0], value_and_gate[:, 1]
        self.coefficients = torch.empty_like(value_and_gate)
        torch.mul(gate, 1 - value * value, out=self.coefficients[:, 0])
        torch.mul(value, gate * (1 - gate), out=self.coefficients[:, 1])
        self.joint_transposed = weights.joint.t().contiguous()
        self.gate_transposed = None if weights.gate is None else weights.gate.t().contiguous()
        self.pre_activations = torch.empty_like(value_and_gate)

    def step(self, rows: slice, fused_gradient: Tensor, sources: Tensor | None) -> Tensor:
        """Gradients of the states that a step fused.

        ``sources`` is needed by GATE2 alone. *Shape:* ``fused_gradient`` is ``(n, size)``; returns
        ``(n, 1 + n_slots, size)``.
        """
        size = fused_gradient.shape[1]
        pre_activations = self.pre_activations[rows]
        torch.mul(fused_gradient.unsqueeze(1), self.coefficients[rows], out=pre_activations)
        if self.gate_transposed is None:
            return torch.mm(pre_activations.flatten(1), self.joint_transposed).view(pre_activations.shape[0], -1, size)
        gradient = torch.mm(pre_activations[:, 0], self.joint_transposed).view(pre_activations.shape[0], -1, size)
        if sources is None:
            raise ValueError("GATE2 needs the states that were fused")
        through_gate = torch.mm(pre_activations[:, 1], self.gate_transposed).view(pre_activations.shape[0], -1, size)
        gradient[:, 0] += (through_gate * sources[:, 1:]).sum(dim=1)
        gradient[:, 1:].addcmul_(through_gate, sources[:, :1])
        return gradient

    def weights(self, sources: Tensor) -> FusionWeights:
        """Gradients of the weights from the states of all steps. *Shape:* ``(n_states, 1 + n_slots, size)``."""
        value, gate = self.pre_activations[:, 0], self.pre_activations[:, 1]
        flat = sources.flatten(1).t()
        if self.gate_transposed is None:
            return FusionWeights(torch.mm(flat, self.pre_activations.flatten(1)), None, gate.sum(dim=0))
        return FusionWeights(torch.mm(flat, value), torch.mm(_similarities(sources).t(), gate), gate.sum(dim=0))
