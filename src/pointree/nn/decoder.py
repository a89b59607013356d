"""The hierarchical decoder: a step computes the state with which the focus word points (paper §2.3 and §3).

All decoder states are kept in one memory. A state is a pair of rows, hidden state and cell. Its id is its index in the
memory; id 0 is the zero vector that stands for a missing word. The caller of a step says which states it reads and
where it writes. So training, where all ids are known beforehand, and search, where they depend on the hypotheses, share
one step.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from pointree.nn import initialise
from pointree.nn.fusion import Fusion, FusionWeights, fuse
from pointree.nn.linear import Mlp, Projection
from pointree.nn.lstm_cell import cell_forward
from pointree.nn.product import few_rows_product

__all__ = ["Decoder", "DecoderWeights", "StepValues", "decoder_step", "new_memory"]


class DecoderWeights(NamedTuple):
    """The weights of a step, in the type of the computation.

    *Shape:* ``recurrent`` is ``(size, 4 · size)``. ``fuse_cell`` is false where the cell of the previous state passes
    as it is.
    """

    fusion: FusionWeights | None
    recurrent: Tensor
    fuse_cell: bool = True


class StepValues(NamedTuple):
    """Intermediate values of a step, for the backward pass of training and for traces.

    *Shape:* ``value_and_gate`` ``(2, 2 · n, size)``, rows alternating hidden state and cell (None without fusion);
    ``fused`` ``(n, 2, size)``; ``gates`` ``(n, 4 · size)``.
    """

    value_and_gate: Tensor | None
    fused: Tensor
    gates: Tensor


def new_memory(initial: Tensor, n_steps: int) -> Tensor:
    """A memory with room for ``n_steps`` more states; ids 1 … batch_size are the initial states.

    *Shape:* ``initial`` is ``(batch_size, 2, size)``; returns ``(1 + batch_size + n_steps, 2, size)``.
    """
    batch_size, _two, size = initial.shape
    memory = initial.new_empty(1 + batch_size + n_steps, 2, size)
    memory[0] = 0.0
    memory[1 : 1 + batch_size] = initial
    return memory


def gather_states(memory: Tensor, state_ids: Tensor) -> Tensor:
    """The states of these ids, with hidden states and cells as separate rows.

    *Shape:* ``state_ids`` is ``(n, k)``; returns ``(2 · n, k, size)``, rows alternating hidden state and cell.
    """
    n, k = state_ids.shape
    hidden_rows = (2 * state_ids).unsqueeze(1)
    rows = torch.cat((hidden_rows, hidden_rows + 1), dim=1)
    return memory.view(-1, memory.shape[2]).index_select(0, rows.flatten()).view(2 * n, k, -1)


def decoder_step(
    weights: DecoderWeights,
    memory: Tensor,
    state_ids: Tensor,
    input_gates: Tensor,
    start: int,
    mask: Tensor | None = None,
) -> StepValues:
    """Compute the next decoder states s_t from the states of the given ids, and write them to ``memory`` at ``start``.

    s_t = LSTM(f(s_{t-1}, s_lm, …), h_i), where f fuses hidden states and cells alike. ``mask`` is the variational
    dropout of the hidden state and, where it is fused, of the cell too. A cell that passes as it is has a value of
    itself and an open gate in the trace.

    *Shape:* ``state_ids`` is ``(n, 1 + n_slots)``, the previous state first; ``input_gates`` is ``(n, 4 · size)``.
    """
    n, size = input_gates.shape[0], memory.shape[2]
    sources = gather_states(memory, state_ids)
    if weights.fusion is None:
        value_and_gate, fused = None, sources.view(n, 2, size)
    else:
        value_and_gate = fuse(weights.fusion, sources)
        if not weights.fuse_cell:
            value_and_gate[0, 1::2] = sources[1::2, 0]
            value_and_gate[1, 1::2] = 1.0
        fused = (value_and_gate[0] * value_and_gate[1]).view(n, 2, size)
    if mask is not None:
        if weights.fusion is None or not weights.fuse_cell:
            fused[:, 0] *= mask
        else:
            fused *= mask.unsqueeze(1)
    gates = few_rows_product(fused[:, 0], weights.recurrent).add_(input_gates)
    new = memory[start : start + n]
    cell_forward(gates, fused[:, 1], new[:, 0], new[:, 1])
    return StepValues(value_and_gate, fused, gates)


class Decoder(nn.Module):
    """The parameters of the decoder: initial state, input, fusion and LSTM cell."""

    def __init__(
        self,
        *,
        inputs: int,
        start_size: int,
        size: int,
        n_slots: int,
        gate: str,
        dropout: float,
        fuse_cell: bool = True,
    ) -> None:
        super().__init__()
        self.size = size
        self.dropout = dropout
        self.fuse_cell = fuse_cell
        self.initial = Projection(inputs=start_size, outputs=size)
        self.input = Mlp(inputs=inputs, outputs=size)
        self.fusion = Fusion(size=size, n_slots=n_slots, gate=gate) if n_slots else None
        self.input_weight = initialise.recurrent(size, 4 * size, size=size)
        self.recurrent_weight = initialise.recurrent(size, 4 * size, size=size)
        self.bias = initialise.bias(4 * size)

    def weights(self, dtype: torch.dtype) -> DecoderWeights:
        """The weights of a step."""
        fusion = None if self.fusion is None else self.fusion.weights(dtype)
        return DecoderWeights(fusion, self.recurrent_weight.to(dtype), self.fuse_cell)

    def initial_state(self, start: Tensor) -> Tensor:
        """c₀ is a projection of the encoder's start state, h₀ = tanh(c₀).

        *Shape:* ``(batch_size, start_size)`` to ``(batch_size, 2, size)``.
        """
        cell = self.initial(start)
        return torch.stack((cell.tanh(), cell), dim=1)

    def input_gates(self, encoded: Tensor) -> Tensor:
        """The contribution of each position to the gates of the step in which it is the focus.

        *Shape:* ``(n_rows, inputs)`` to ``(n_rows, 4 · size)``.
        """
        dtype = encoded.dtype
        return torch.addmm(self.bias.to(dtype), self.input(encoded), self.input_weight.to(dtype))
