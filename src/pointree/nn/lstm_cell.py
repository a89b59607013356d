"""The point-wise half of an LSTM step, forward and backward, shared by encoder and decoder.

The four gates lie side by side in the order output, input, forget, candidate: the first three are sigmoids, and the
last three are the ones whose gradient comes through the cell, so both passes work on contiguous blocks.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["CellGradients", "cell_forward"]


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


class CellGradients:
    """The backward pass of many steps: what does not depend on the incoming gradient is computed for all at once.

    With o, i, f, g the activated gates, c the previous and c' the new cell: ``dc' += dh · o (1 - tanh² c')``;
    ``do = dh · tanh(c') o (1 - o)``; ``[di, df, dg] = dc' · [g i (1 - i), c f (1 - f), i (1 - g²)]``; ``dc = dc' · f``.

    *Shape:* ``gates`` is ``(..., n_rows, 4 · size)``, ``cell`` and ``new_cell`` are ``(..., n_rows, size)``.
    """

    def __init__(self, gates: Tensor, cell: Tensor, new_cell: Tensor) -> None:
        self.size = size = cell.shape[-1]
        output, input_, self.forget, candidate = gates.split(size, dim=-1)
        tanh_cell = new_cell.tanh()
        self.hidden_to_cell = output * (1 - tanh_cell * tanh_cell)
        self.to_gates = torch.empty_like(gates)
        sigmoids = gates[..., : 3 * size]
        torch.mul(sigmoids, 1 - sigmoids, out=self.to_gates[..., : 3 * size])
        self.to_gates[..., :size] *= tanh_cell
        self.to_gates[..., size : 2 * size] *= candidate
        self.to_gates[..., 2 * size : 3 * size] *= cell
        torch.mul(input_, 1 - candidate * candidate, out=self.to_gates[..., 3 * size :])

    def step(self, rows: slice, hidden_gradient: Tensor, cell_gradient: Tensor, out: Tensor) -> None:
        """Turn the gradients of a step's new state into those of its gates (``out``) and previous cell.

        ``cell_gradient`` enters as the gradient of the new cell and leaves as that of the previous one.
        """
        size = self.size
        to_gates = self.to_gates[..., rows, :]
        cell_gradient.addcmul_(hidden_gradient, self.hidden_to_cell[..., rows, :])
        torch.mul(hidden_gradient, to_gates[..., :size], out=out[..., :size])
        through_cell = out[..., size:].unflatten(-1, (3, size))
        torch.mul(cell_gradient.unsqueeze(-2), to_gates[..., size:].unflatten(-1, (3, size)), out=through_cell)
        cell_gradient.mul_(self.forget[..., rows, :])
