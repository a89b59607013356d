"""The point-wise half of an LSTM step, forward and backward, shared by encoder and decoder.

The four gates lie side by side in the order output, input, forget, candidate: the first three are sigmoids. The
backward pass goes step by step as well: what a step needs is then still in the cache.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["cell_backward", "cell_forward"]


def cell_forward(gates: Tensor, cell: Tensor, new_hidden: Tensor, new_cell: Tensor) -> None:
    """Activate ``gates`` in place and write the new state.

    *Shape:* ``gates`` is ``(..., 4 · size)``, the others ``(..., size)``; ``new_cell`` may be ``cell`` itself.
    """
    size = cell.shape[-1]
    gates[..., : 3 * size].sigmoid_()
    gates[..., 3 * size :].tanh_()
    output, input_, forget, candidate = gates.split(size, dim=-1)
    torch.mul(forget, cell, out=new_cell)
    new_cell.addcmul_(input_, candidate)
    torch.tanh(new_cell, out=new_hidden)
    new_hidden.mul_(output)


def cell_backward(
    gates: Tensor, cell: Tensor, new_cell: Tensor, hidden_gradient: Tensor, cell_gradient: Tensor, out: Tensor
) -> None:
    """Turn the gradients of a new state into those of its gates (``out``) and of the previous cell.

    ``cell_gradient`` enters as the gradient of the new cell and leaves as that of the previous one. With o, i, f, g the
    activated gates, c the previous and c' the new cell: ``dc' += dh o (1 - tanh² c')``; ``do = dh tanh(c') o (1 - o)``;
    ``[di, df, dg] = dc' [g i (1 - i), c f (1 - f), i (1 - g²)]``; ``dc = dc' f``.

    *Shape:* ``gates`` and ``out`` are ``(..., 4 · size)``, the others ``(..., size)``.
    """
    size = cell.shape[-1]
    output, input_, forget, candidate = gates.split(size, dim=-1)
    to_output, to_input, to_forget, to_candidate = out.split(size, dim=-1)
    tanh_cell = new_cell.tanh()
    sigmoid_backward, tanh_backward = torch.ops.aten.sigmoid_backward, torch.ops.aten.tanh_backward
    cell_gradient += tanh_backward(hidden_gradient * output, tanh_cell)
    sigmoid_backward(hidden_gradient * tanh_cell, output, grad_input=to_output)
    sigmoid_backward(cell_gradient * candidate, input_, grad_input=to_input)
    sigmoid_backward(cell_gradient * cell, forget, grad_input=to_forget)
    tanh_backward(cell_gradient * input_, candidate, grad_input=to_candidate)
    cell_gradient *= forget
