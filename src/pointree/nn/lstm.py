"""A bidirectional LSTM layer that is fast on CPUs: both directions in one multiply, weight gradients in one multiply.

Autograd would multiply once a step for the gradient of the recurrent weight. Here the backward pass collects the
gradients of the gates and multiplies once for all steps, which the machine does several times faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from pointree.nn import initialise
from pointree.nn.dropout import drop_shared, dropout_mask
from pointree.nn.lstm_cell import CellCoefficients, cell_backward, cell_coefficients, cell_forward
from pointree.nn.packing import Packing

__all__ = ["BiLstmLayer"]


def _run(gates: Tensor, weight: Tensor, mask: Tensor | None, packing: Packing) -> tuple[Tensor, Tensor]:
    """Run both directions over all steps; ``gates``, which holds the inputs' products, is activated in place.

    *Shape:* ``gates`` is ``(2, n_rows, 4 · size)``, ``weight`` ``(2, size, 4 · size)``, ``mask`` ``(2, batch_size,
    size)``; returns hidden states and cells, ``(2, n_rows, size)``.
    """
    size = weight.shape[1]
    hidden = gates.new_empty(2, packing.n_rows, size)
    cells = gates.new_empty(2, packing.n_rows, size)
    state, cell = None, gates.new_zeros(2, packing.batch_size, size)
    for step_gates, new_state, new_cell in _by_step(packing, gates, hidden, cells):
        if state is not None:
            running = step_gates.shape[1]
            state, cell = _first(state, running), _first(cell, running)
            if mask is not None:
                mask = _first(mask, running)
                state = state * mask
            # Not baddbmm_: in place, torch would multiply one direction after the other.
            step_gates += torch.bmm(state, weight)
        cell_forward(step_gates, cell, new_state, new_cell)
        state, cell = new_state, new_cell
    return hidden, cells


def _by_step(packing: Packing, *packed: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The rows of each step, of several tensors together. *Shape:* all ``(2, n_rows, …)``."""
    return zip(*(tensor.split(packing.active, dim=1) for tensor in packed), strict=True)


def _first(tensor: Tensor, running: int) -> Tensor:
    """The part of the sentences that are still running, which are the first ones."""
    return tensor if tensor.shape[1] == running else tensor[:, :running]


def _transposed(weight: Tensor) -> Tensor:
    """The matrices of both directions transposed, one by one: torch copies a batch of them at a third of the speed.

    *Shape:* ``(2, size, 4 · size)`` to ``(2, 4 · size, size)``.
    """
    directions, inputs, outputs = weight.shape
    transposed = weight.new_empty(directions, outputs, inputs)
    for copy, matrix in zip(transposed, weight, strict=True):
        copy.copy_(matrix.t())
    return transposed


class _Recurrence(torch.autograd.Function):
    """Both directions over all steps, input product included, with a backward pass written by hand."""

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        input_weight: Tensor,
        bias: Tensor,
        weight: Tensor,
        mask: Tensor | None,
        packing: Packing,
    ) -> tuple[Tensor, Tensor]:
        gates = torch.bmm(inputs, input_weight).add_(bias)
        hidden, cells = _run(gates, weight, mask, packing)
        ctx.save_for_backward(inputs, input_weight, weight, mask, gates, hidden, cells)
        ctx.packing = packing
        return hidden, cells.index_select(1, packing.last_rows)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, input_weight, weight, mask, gates, hidden, cells = ctx.saved_tensors
        packing: Packing = ctx.packing
        hidden_gradient, from_cell = gradients[0], gradients[1].clone()
        batch_size = packing.batch_size
        previous_hidden = hidden.index_select(1, packing.predecessors)
        if mask is not None:
            previous_hidden *= mask.index_select(1, packing.sentence_index[batch_size:])
        first_cells = cells.new_zeros(2, batch_size, cells.shape[2])
        previous_cells = torch.cat((first_cells, cells.index_select(1, packing.predecessors)), dim=1)
        gate_gradient = torch.empty_like(gates)
        steps = _by_step(packing, hidden_gradient, *cell_coefficients(gates, previous_cells, cells), gate_gradient)
        transposed = _transposed(weight)
        from_hidden = torch.zeros_like(from_cell)
        # A sentence joins at its last step, and until then its row of `from_cell` holds its final cell's gradient.
        for from_output, *coefficients, step_gradient in reversed(list(steps)):
            running = step_gradient.shape[1]
            dh, dc = _first(from_hidden, running), _first(from_cell, running)
            dh += from_output
            cell_backward(CellCoefficients(*coefficients), dh, dc, step_gradient)
            # Not into `dh` by `out`: torch would multiply one direction after the other.
            through_state = torch.bmm(step_gradient, transposed)
            if mask is None:
                dh.copy_(through_state)
            else:
                torch.mul(through_state, _first(mask, running), out=dh)
        return (
            torch.bmm(gate_gradient, input_weight.transpose(1, 2)) if ctx.needs_input_grad[0] else None,
            torch.bmm(inputs.transpose(1, 2), gate_gradient),
            gate_gradient.sum(dim=1, keepdim=True),
            torch.bmm(previous_hidden.transpose(1, 2), gate_gradient[:, batch_size:]),
            None,
            None,
        )


class BiLstmLayer(nn.Module):
    """One layer of the encoder: a forward and a backward LSTM with variational dropout on input and state (§2.2).

    The directions are the two slices of each parameter; the second reads every sentence from its end.
    """

    def __init__(self, *, inputs: int, size: int, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.dropout = dropout
        self.input_weight = initialise.recurrent(2, inputs, 4 * size, size=size)
        self.recurrent_weight = initialise.recurrent(2, size, 4 * size, size=size)
        self.bias = initialise.bias(2, 1, 4 * size)

    def forward(self, x: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        """Returns hidden states of both directions side by side, and each sentence's two final cells.

        *Shape:* ``x`` is ``(n_rows, inputs)``; returns ``(n_rows, 2 · size)`` and ``(batch_size, 2 · size)``.
        """
        owners, batch_size = packing.sentence_index, packing.batch_size
        ahead, back = (drop_shared(x, owners, batch_size, self.dropout, self.training) for _direction in range(2))
        both = torch.stack((ahead, back.index_select(0, packing.reversal)))
        dtype = x.dtype
        input_weight, bias, weight = (
            parameter.to(dtype) for parameter in (self.input_weight, self.bias, self.recurrent_weight)
        )
        mask = None
        if self.training and self.dropout > 0.0:
            mask = dropout_mask((2, batch_size, self.size), self.dropout, x)
        if torch.is_grad_enabled():
            hidden, final_cells = _Recurrence.apply(  # type: ignore[no-untyped-call]
                both, input_weight, bias, weight, mask, packing
            )
        else:
            hidden, cells = _run(torch.bmm(both, input_weight).add_(bias), weight, mask, packing)
            final_cells = cells.index_select(1, packing.last_rows)
        outputs = torch.cat((hidden[0], hidden[1].index_select(0, packing.reversal)), dim=1)
        return outputs, torch.cat((final_cells[0], final_cells[1]), dim=1)
