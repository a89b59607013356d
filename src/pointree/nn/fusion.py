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
from pointree.nn.product import few_rows_product, sliced_product

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

    *Shape:* ``sources`` is ``(n, 1 + n_slots, size)``, previous state first; returns ``(2, n, size)``.
    """
    if weights.gate is None:
        value_and_gate = sliced_product(sources.flatten(1), weights.joint, 2)
    else:
        value = few_rows_product(sources.flatten(1), weights.joint)
        value_and_gate = torch.stack((value, few_rows_product(_similarities(sources), weights.gate)))
    value_and_gate[1] += weights.gate_bias
    value_and_gate[0].tanh_()
    value_and_gate[1].sigmoid_()
    return value_and_gate


class FusionGradients:
    """The backward pass of many fusions: coefficients and weight gradients for all steps at once.

    *Shape:* ``value_and_gate`` is ``(2, n_states, size)``, as `fuse` returned it for all steps together.
    """

    def __init__(self, weights: FusionWeights, value_and_gate: Tensor) -> None:
        value, gate = value_and_gate
        n_states, self.size = value.shape
        self.n_sources = weights.joint.shape[0] // self.size
        self.coefficients = value.new_empty(n_states, 2, self.size)
        torch.mul(gate, 1 - value * value, out=self.coefficients[:, 0])
        torch.mul(value, gate * (1 - gate), out=self.coefficients[:, 1])
        self.joint_transposed = weights.joint.t().contiguous()
        self.gate_transposed = None if weights.gate is None else weights.gate.t().contiguous()
        self.pre_activations = torch.empty_like(self.coefficients)

    def step(self, rows: slice, fused_gradient: Tensor, sources: Tensor | None) -> Tensor:
        """Gradients of the states that a step fused.

        ``sources``, ``(n, 1 + n_slots, size)``, is needed by GATE2 alone. *Shape:* ``fused_gradient`` is ``(n, size)``;
        returns ``(1 + n_slots, n, size)``.
        """
        pre_activations = self.pre_activations[rows]
        torch.mul(fused_gradient.unsqueeze(1), self.coefficients[rows], out=pre_activations)
        if self.gate_transposed is None:
            return sliced_product(pre_activations.flatten(1), self.joint_transposed, self.n_sources)
        gradient = sliced_product(pre_activations[:, 0], self.joint_transposed, self.n_sources)
        if sources is None:
            raise ValueError("GATE2 needs the states that were fused")
        through_gate = sliced_product(pre_activations[:, 1], self.gate_transposed, self.n_sources - 1)
        by_slot = sources.transpose(0, 1)
        gradient[0] += (through_gate * by_slot[1:]).sum(dim=0)
        gradient[1:].addcmul_(through_gate, by_slot[:1])
        return gradient

    def weights(self, sources: Tensor) -> FusionWeights:
        """Gradients of the weights from the states of all steps. *Shape:* ``(n_states, 1 + n_slots, size)``."""
        value, gate = self.pre_activations[:, 0], self.pre_activations[:, 1]
        flat = sources.flatten(1).t()
        if self.gate_transposed is None:
            return FusionWeights(torch.mm(flat, self.pre_activations.flatten(1)), None, gate.sum(dim=0))
        return FusionWeights(torch.mm(flat, value), torch.mm(_similarities(sources).t(), gate), gate.sum(dim=0))
