"""Tests of the decoder step and its memory."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pointree.nn.decoder import Decoder, decoder_step, gather_states, new_memory

from .. import reference

SIZE, INPUTS, BATCH = 4, 6, 3


def new_decoder(n_slots: int, gate: str = "gate1") -> Decoder:
    torch.manual_seed(n_slots)
    decoder = Decoder(inputs=INPUTS, start_size=INPUTS, size=SIZE, n_slots=n_slots, gate=gate, dropout=0.0).double()
    with torch.no_grad():
        for parameter in decoder.parameters():
            parameter.normal_()
    return decoder


def fused_by_the_equations(decoder: Decoder, states: Tensor, gate: str) -> Tensor:
    """The fused vector of one row of states, ``(1 + n_slots, size)``."""
    if decoder.fusion is None:
        return states[0]
    joint = decoder.fusion.joint
    gating = joint[:, SIZE:] if decoder.fusion.gate is None else decoder.fusion.gate
    values, gates = joint[:, :SIZE].split(SIZE), gating.split(SIZE)
    return reference.fuse(states[0], list(states[1:]), values, gates, decoder.fusion.gate_bias, gate)


def test_memory_starts_with_nothing_and_the_initial_states() -> None:
    initial = torch.randn(BATCH, 2, SIZE)
    memory = new_memory(initial, 5)
    assert memory.shape == (1 + BATCH + 5, 2, SIZE)
    assert not memory[0].any()
    assert torch.equal(memory[1 : 1 + BATCH], initial)


def test_gathered_states_alternate_hidden_state_and_cell() -> None:
    memory = torch.randn(7, 2, SIZE)
    names = torch.tensor([[3, 0], [6, 3]])
    rows = gather_states(memory, names)
    assert rows.shape == (4, 2, SIZE)
    for row, named in enumerate(names.tolist()):
        for column, name in enumerate(named):
            assert torch.equal(rows[2 * row, column], memory[name, 0])
            assert torch.equal(rows[2 * row + 1, column], memory[name, 1])


@pytest.mark.parametrize("masked", [False, True], ids=["calm", "masked"])
@pytest.mark.parametrize("gate", ["gate1", "gate2"])
@pytest.mark.parametrize("n_slots", [0, 1, 2, 4])
def test_step_fuses_hidden_state_and_cell_with_the_same_weights(n_slots: int, gate: str, masked: bool) -> None:
    """s_t = LSTM(f(…), h_i): both rows of a state go through f; the mask is on both if they are fused."""
    decoder = new_decoder(n_slots, gate)
    memory = new_memory(torch.randn(BATCH, 2, SIZE, dtype=torch.float64), 4)
    memory[4:6] = torch.randn(2, 2, SIZE)
    before = memory.clone()
    names = torch.tensor([[4, 5, 0, 1, 2], [2, 0, 0, 0, 0]])[:, : 1 + n_slots]
    input_gates = torch.randn(2, 4 * SIZE, dtype=torch.float64)
    mask = torch.tensor([[0.0, 2.0, 2.0, 0.0], [2.0, 0.0, 2.0, 2.0]], dtype=torch.float64) if masked else None
    with torch.no_grad():
        decoder_step(decoder.weights(torch.float64), memory, names, input_gates, 6, mask)
    for row, named in enumerate(names.tolist()):
        hidden, cell = (fused_by_the_equations(decoder, before[named, part], gate) for part in range(2))
        if mask is not None:
            hidden = hidden * mask[row]
            cell = cell * mask[row] if n_slots else cell
        state = reference.lstm_cell(input_gates[row] + hidden @ decoder.recurrent_weight, cell)
        torch.testing.assert_close(memory[6 + row, 0], state.hidden.detach())
        torch.testing.assert_close(memory[6 + row, 1], state.cell.detach())
    assert torch.equal(memory[:6], before[:6]), "a step changes no state but those that it writes"


def test_initial_state_is_a_projected_cell_and_its_tanh() -> None:
    decoder = new_decoder(1)
    final_cells = torch.randn(BATCH, INPUTS, dtype=torch.float64)
    cell = final_cells @ decoder.initial.weight + decoder.initial.bias
    torch.testing.assert_close(decoder.initial_state(final_cells), torch.stack((torch.tanh(cell), cell), dim=1))


def test_input_is_an_elu_of_the_encoder_state() -> None:
    decoder = new_decoder(1)
    encoded = torch.randn(BATCH, INPUTS, dtype=torch.float64)
    projection = decoder.input.projection
    expected = reference.elu(encoded @ projection.weight + projection.bias) @ decoder.input_weight + decoder.bias
    torch.testing.assert_close(decoder.input_gates(encoded), expected)


def test_without_slots_there_is_no_fusion() -> None:
    assert new_decoder(0).fusion is None
    assert new_decoder(0).weights(torch.float64).fusion is None
