"""The decoder over given trees: all steps of a batch, with a backward pass that multiplies once for each weight.

The forward pass is `decoder_step`, as in search. In training the id of every state is known beforehand, so the backward
pass gathers the states of all steps at once for the gradients of the weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pointree.nn.decoder import Decoder, DecoderWeights, decoder_step, gather_states, new_memory
from pointree.nn.dropout import dropout_mask
from pointree.nn.fusion import FusionGradients, FusionWeights
from pointree.nn.lstm_cell import CellCoefficients, cell_backward, cell_coefficients
from pointree.nn.packing import Packing
from pointree.nn.product import few_rows_product

__all__ = ["teacher_forced_states"]


class _TeacherForcing(torch.autograd.Function):
    """All decoder steps of a batch, with the states that they read in given trees."""

    @staticmethod
    def forward(
        ctx: Any,
        initial: Tensor,
        input_gates: Tensor,
        recurrent: Tensor,
        joint: Tensor | None,
        gate: Tensor | None,
        gate_bias: Tensor | None,
        mask: Tensor | None,
        state_ids: Tensor,
        steps: Packing,
        fuse_cell: bool = True,
    ) -> Tensor:
        size, n_rows = recurrent.shape[0], steps.n_rows
        fusion = None if joint is None or gate_bias is None else FusionWeights(joint, gate, gate_bias)
        memory = new_memory(initial, n_rows)
        first = 1 + steps.batch_size
        gates = torch.empty_like(input_gates)
        fused = initial.new_empty(n_rows, 2, size)
        value_and_gate = None if fusion is None else initial.new_empty(2, 2 * n_rows, size)
        weights = DecoderWeights(fusion, recurrent, fuse_cell)
        for start, count in zip(steps.offsets, steps.active, strict=False):
            rows = slice(start, start + count)
            step_mask = None if mask is None else mask[:count]
            trace = decoder_step(weights, memory, state_ids[rows], input_gates[rows], first + start, step_mask)
            gates[rows] = trace.gates
            fused[rows] = trace.fused
            if value_and_gate is not None and trace.value_and_gate is not None:
                value_and_gate[:, 2 * start : 2 * (start + count)] = trace.value_and_gate
        ctx.save_for_backward(recurrent, joint, gate, gate_bias, mask, state_ids, memory, gates, fused, value_and_gate)
        ctx.steps, ctx.fuse_cell = steps, fuse_cell
        return memory[first:, 0].contiguous()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        recurrent, joint, gate, gate_bias, mask, state_ids, memory, gates, fused, value_and_gate = ctx.saved_tensors
        steps: Packing = ctx.steps
        first = 1 + steps.batch_size
        fusion = None if joint is None else FusionGradients(FusionWeights(joint, gate, gate_bias), value_and_gate)
        memory_gradient = torch.zeros_like(memory)
        memory_gradient[first:, 0] = gradients[0]
        coefficients = cell_coefficients(gates, fused[:, 1], memory[first:, 1])
        gate_gradient = torch.empty_like(gates)
        recurrent_transposed = recurrent.t().contiguous()
        for start, count in zip(reversed(steps.offsets[:-1]), reversed(steps.active), strict=True):
            rows = slice(start, start + count)
            fused_gradient = memory_gradient[first + start : first + start + count]
            hidden, cell = fused_gradient[:, 0], fused_gradient[:, 1]
            step_gradient = gate_gradient[rows]
            cell_backward(CellCoefficients(*(each[rows] for each in coefficients)), hidden, cell, step_gradient)
            through_state = few_rows_product(step_gradient, recurrent_transposed)
            hidden.copy_(through_state if mask is None else through_state.mul_(mask[:count]))
            step_ids = state_ids[rows]
            if fusion is not None and not ctx.fuse_cell:
                memory_gradient[step_ids[:, 0], 1] += cell
                cell.zero_()  # nothing of it goes through the fusion
            elif mask is not None and fusion is not None:
                cell.mul_(mask[:count])
            if fusion is None:
                memory_gradient[step_ids[:, 0]] += fused_gradient
                continue
            sources = None if gate is None else gather_states(memory, step_ids)
            states = slice(2 * start, 2 * (start + count))
            source_gradient = fusion.step(states, fused_gradient.flatten(0, 1), sources)
            _scatter(memory_gradient, step_ids, source_gradient)
        fusion_gradient: FusionWeights | tuple[None, None, None] = (None, None, None)
        if fusion is not None:
            fusion_gradient = fusion.weights(gather_states(memory, state_ids))
        recurrent_gradient = torch.mm(fused[:, 0].t(), gate_gradient)
        initial_gradient = memory_gradient[1:first]
        return initial_gradient, gate_gradient, recurrent_gradient, *fusion_gradient, None, None, None, None


def _scatter(memory_gradient: Tensor, state_ids: Tensor, gradient: Tensor) -> None:
    """Add the gradients of a step to the states that it read.

    One slot at a time: a step has one row for each sentence, so no state occurs twice in a slot, except id 0, whose
    gradient is not used.

    *Shape:* ``state_ids`` is ``(n, 1 + n_slots)``, ``gradient`` is ``(1 + n_slots, 2 · n, size)``.
    """
    for slot, slot_gradient in enumerate(gradient.unflatten(1, (-1, 2))):
        memory_gradient[state_ids[:, slot]] += slot_gradient


def teacher_forced_states(
    decoder: Decoder, initial: Tensor, input_gates: Tensor, state_ids: Tensor, steps: Packing
) -> Tensor:
    """The decoder state of every step over given trees: gold ones, or trees with heads that were predicted before.

    *Shape:* ``initial`` ``(batch_size, 2, size)``, ``input_gates`` ``(n_rows, 4 · size)`` of the focus words in packed
    step order, ``state_ids`` ``(n_rows, 1 + n_slots)``; returns ``(n_rows, size)``.
    """
    weights = decoder.weights(input_gates.dtype)
    mask = None
    if decoder.training and decoder.dropout > 0.0:
        mask = dropout_mask((steps.batch_size, decoder.size), decoder.dropout, input_gates)
    fusion = weights.fusion or (None, None, None)
    states: Tensor = _TeacherForcing.apply(  # type: ignore[no-untyped-call]
        initial, input_gates, weights.recurrent, *fusion, mask, state_ids, steps, weights.fuse_cell
    )
    return states
