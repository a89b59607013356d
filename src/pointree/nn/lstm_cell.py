"""The point-wise half of an LSTM step, forward and backward, shared by encoder and decoder.

The four gates lie side by side in the order output, input, forget, candidate: the first three are sigmoids.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["CellCoefficients", "cell_backward", "cell_coefficients", "cell_forward"]


def cell_forward(gates: Tensor, cell: Tensor, new_hidden: Tensor, new_cell: Tensor) -> None:
    """Activate ``gates`` in place and write the new state.

    *Shape:* ``gates`` is ``(..., 4 · size)``, the others ``(..., size)``; ``new_cell`` may be ``cell`` itself.
    """
    size = cell.shape[-1]
    output, input_, forget, candidate = gates.chunk(4, dim=-1)
    gates[..., : 3 * size].sigmoid_()
    candidate.tanh_()
    torch.mul(forget, cell, out=new_cell)
    new_cell.addcmul_(input_, candidate)
    torch.tanh(new_cell, out=new_hidden)
    new_hidden.mul_(output)


class CellCoefficients(NamedTuple):
    """What the gradients of a step are multiplied with on their way back; it depends on the forward pass alone.

    *Shape:* ``gates`` is ``(..., 4, size)``, the others ``(..., size)``.
    """

    to_cell: Tensor
    gates: Tensor
    forget: Tensor


def cell_coefficients(gates: Tensor, cell: Tensor, new_cell: Tensor) -> CellCoefficients:
    """The coefficients of all steps at once, which takes few and large operations instead of many small ones.

    With o, i, f, g the activated gates, c the previous and c' the new cell: ``o (1 - tanh² c')`` toward the cell;
    ``[tanh(c') o (1 - o), g i (1 - i), c f (1 - f), i (1 - g²)]`` toward the gates.

    *Shape:* ``gates`` is ``(..., 4 · size)``, the others ``(..., size)``.
    """
    size = cell.shape[-1]
    output, input_, forget, candidate = gates.chunk(4, dim=-1)
    coefficients = torch.empty_like(gates).unflatten(-1, (4, size))
    to_output, to_input, to_forget, to_candidate = coefficients.unbind(-2)
    tanh_cell = new_cell.tanh()
    sigmoid_backward, tanh_backward = torch.ops.aten.sigmoid_backward, torch.ops.aten.tanh_backward
    sigmoid_backward(tanh_cell, output, grad_input=to_output)
    sigmoid_backward(candidate, input_, grad_input=to_input)
    sigmoid_backward(cell, forget, grad_input=to_forget)
    tanh_backward(input_, candidate, grad_input=to_candidate)
    return CellCoefficients(tanh_backward(output, tanh_cell), coefficients, forget)


def cell_backward(coefficients: CellCoefficients, hidden_gradient: Tensor, cell_gradient: Tensor, out: Tensor) -> None:
    """Turn the gradients of a new state into those of its gates (``out``) and of the previous cell.

    ``cell_gradient`` enters as the gradient of the new cell and leaves as that of the previous one.

    *Shape:* ``out`` is ``(..., 4 · size)``, the gradients are ``(..., size)``.
    """
    size = cell_gradient.shape[-1]
    to_cell, gates, forget = coefficients
    cell_gradient.addcmul_(hidden_gradient, to_cell)
    torch.mul(hidden_gradient, gates[..., 0, :], out=out[..., :size])
    torch.mul(cell_gradient.unsqueeze(-2), gates[..., 1:, :], out=out.unflatten(-1, (4, size))[..., 1:, :])
    cell_gradient.mul_(forget)
