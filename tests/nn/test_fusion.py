"""Fusion and both gates against the equations of §3.1, written out dependent by dependent."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from pointree.nn.fusion import Fusion, FusionGradients, FusionWeights, fuse

from .. import reference

SIZE, ROWS = 4, 6

every_gate = pytest.mark.parametrize("gate", ["gate1", "gate2"])
every_number_of_slots = pytest.mark.parametrize("n_slots", [1, 2, 4])


def new_fusion(gate: str, n_slots: int) -> tuple[Fusion, Tensor]:
    torch.manual_seed(n_slots)
    fusion = Fusion(size=SIZE, n_slots=n_slots, gate=gate).double()
    with torch.no_grad():
        fusion.gate_bias.normal_()
    sources = torch.randn(ROWS, 1 + n_slots, SIZE, dtype=torch.float64)
    sources[1, 1:] = 0.0  # a word without dependents
    sources[2, -1] = 0.0
    return fusion, sources


def by_the_equations(fusion: Fusion, sources: Tensor, gate: str) -> Tensor:
    values = fusion.joint[:, :SIZE].split(SIZE)
    gating = fusion.joint[:, SIZE:] if gate == "gate1" else fusion.gate
    assert gating is not None
    rows = [
        reference.fuse(states[0], list(states[1:]), values, gating.split(SIZE), fusion.gate_bias, gate)
        for states in sources
    ]
    return torch.stack(rows)


@every_gate
@every_number_of_slots
def test_fused_state_is_that_of_the_equations(gate: str, n_slots: int) -> None:
    fusion, sources = new_fusion(gate, n_slots)
    with torch.no_grad():
        value, opening = fuse(fusion.weights(torch.float64), sources)
    torch.testing.assert_close(value * opening, by_the_equations(fusion, sources, gate).detach())


def test_gate1_is_written_out_for_one_word() -> None:
    """Without a line that is shared: sigmoid(W_gp s + W_glm s_lm + b) ⊙ tanh(W_p s + W_lm s_lm) in plain numbers."""
    fusion, sources = new_fusion("gate1", 1)
    with torch.no_grad():
        value, opening = fuse(fusion.weights(torch.float64), sources)
    previous, leftmost = sources[0].tolist()
    joint, bias = fusion.joint.tolist(), fusion.gate_bias.tolist()
    for column in range(SIZE):
        inside = gate = 0.0
        for row in range(SIZE):
            inside += previous[row] * joint[row][column] + leftmost[row] * joint[SIZE + row][column]
            gate += previous[row] * joint[row][SIZE + column] + leftmost[row] * joint[SIZE + row][SIZE + column]
        assert value[0, column].item() == pytest.approx(math.tanh(inside))
        assert opening[0, column].item() == pytest.approx(1 / (1 + math.exp(-gate - bias[column])))


def test_gate2_compares_the_previous_state_with_each_dependent() -> None:
    """sigmoid(Σ W_gk (s ⊙ s_k) + b): a word without dependents has the gate sigmoid(b), whatever its state."""
    fusion, sources = new_fusion("gate2", 2)
    with torch.no_grad():
        opening = fuse(fusion.weights(torch.float64), sources)[1]
    torch.testing.assert_close(opening[1], fusion.gate_bias.sigmoid().detach())
    assert not torch.allclose(opening[0], fusion.gate_bias.sigmoid())


@every_gate
@every_number_of_slots
def test_backward_is_autograd_of_the_equations(gate: str, n_slots: int) -> None:
    fusion, sources = new_fusion(gate, n_slots)
    sources.requires_grad_()
    toward = torch.randn(ROWS, SIZE, dtype=torch.float64)
    (by_the_equations(fusion, sources, gate) * toward).sum().backward()

    with torch.no_grad():
        weights = FusionWeights(*(None if each is None else each.detach() for each in fusion.weights(torch.float64)))
        gradients = FusionGradients(weights, fuse(weights, sources))
        parts = [slice(0, 4), slice(4, ROWS)]
        by_slot = torch.cat([gradients.step(rows, toward[rows], sources[rows]) for rows in parts], dim=1)
        source_gradient = by_slot.transpose(0, 1)
        weight_gradients = gradients.weights(sources)
    torch.testing.assert_close(source_gradient, sources.grad)
    torch.testing.assert_close(weight_gradients.joint, fusion.joint.grad)
    torch.testing.assert_close(weight_gradients.gate_bias, fusion.gate_bias.grad)
    if fusion.gate is None:
        assert weight_gradients.gate is None
    else:
        torch.testing.assert_close(weight_gradients.gate, fusion.gate.grad)


def test_gate2_says_what_its_backward_pass_needs() -> None:
    fusion, sources = new_fusion("gate2", 1)
    with torch.no_grad():
        weights = fusion.weights(torch.float64)
        gradients = FusionGradients(weights, fuse(weights, sources))
        with pytest.raises(ValueError, match="GATE2 needs the states"):
            gradients.step(slice(0, 1), torch.zeros(1, SIZE, dtype=torch.float64), None)
