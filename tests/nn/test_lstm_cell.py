"""Tests of the point-wise half of an LSTM step."""

from __future__ import annotations

import torch

from pointree.nn.lstm_cell import cell_backward, cell_coefficients, cell_forward

from ..reference import lstm_cell

SIZE, ROWS = 5, 3


def test_forward_is_the_equations() -> None:
    gates = torch.randn(ROWS, 4 * SIZE, dtype=torch.float64)
    cell = torch.randn(ROWS, SIZE, dtype=torch.float64)
    hidden, new_cell = torch.empty_like(cell), torch.empty_like(cell)
    cell_forward(gates.clone(), cell, hidden, new_cell)
    for row in range(ROWS):
        expected = lstm_cell(gates[row], cell[row])
        torch.testing.assert_close(hidden[row], expected.hidden)
        torch.testing.assert_close(new_cell[row], expected.cell)


def test_the_new_cell_may_take_the_place_of_the_old_one() -> None:
    gates, cell = torch.randn(ROWS, 4 * SIZE), torch.randn(ROWS, SIZE)
    apart, hidden = torch.empty_like(cell), torch.empty_like(cell)
    cell_forward(gates.clone(), cell, hidden, apart)
    in_place = cell.clone()
    cell_forward(gates.clone(), in_place, torch.empty_like(cell), in_place)
    torch.testing.assert_close(in_place, apart, rtol=0, atol=0)


def test_backward_is_autograd_of_the_equations() -> None:
    gates = torch.randn(ROWS, 4 * SIZE, dtype=torch.float64, requires_grad=True)
    cell = torch.randn(ROWS, SIZE, dtype=torch.float64, requires_grad=True)
    states = [lstm_cell(gates[row], cell[row]) for row in range(ROWS)]
    hidden, new_cell = torch.stack([s.hidden for s in states]), torch.stack([s.cell for s in states])
    toward_hidden, toward_cell = torch.randn_like(cell), torch.randn_like(cell)
    ((hidden * toward_hidden).sum() + (new_cell * toward_cell).sum()).backward()

    activated = gates.detach().clone()
    with torch.no_grad():
        cell_forward(activated, cell, torch.empty_like(hidden), torch.empty_like(hidden))
        gate_gradient, cell_gradient = torch.empty_like(gates), toward_cell.clone()
        coefficients = cell_coefficients(activated, cell.detach(), new_cell.detach())
        cell_backward(coefficients, toward_hidden, cell_gradient, gate_gradient)
    torch.testing.assert_close(gate_gradient, gates.grad)
    torch.testing.assert_close(cell_gradient, cell.grad)
