"""The bidirectional layer does what `torch.nn.LSTM` does, forward and backward."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from pointree.nn import lstm
from pointree.nn.lstm import BiLstmLayer
from pointree.nn.packing import Packing

from ..reference import lstm_cell

SIZE, INPUTS = 4, 3


def torch_order(weight: Tensor) -> Tensor:
    """Rows in torch's order of gates (input, forget, candidate, output) from ours: output, input, forget, candidate."""
    output, input_, forget, candidate = weight.split(SIZE, dim=-1)
    return torch.cat((input_, forget, candidate, output), dim=-1)


def new_layer(dropout: float = 0.0) -> BiLstmLayer:
    torch.manual_seed(0)
    layer = BiLstmLayer(inputs=INPUTS, size=SIZE, dropout=dropout).double()
    with torch.no_grad():
        layer.bias.normal_()
    return layer


def torch_twin(layer: BiLstmLayer) -> nn.LSTM:
    twin = nn.LSTM(INPUTS, SIZE, bidirectional=True, batch_first=True).double()
    with torch.no_grad():
        for direction, suffix in enumerate(("", "_reverse")):
            getattr(twin, f"weight_ih_l0{suffix}").copy_(torch_order(layer.input_weight[direction]).t())
            getattr(twin, f"weight_hh_l0{suffix}").copy_(torch_order(layer.recurrent_weight[direction]).t())
            getattr(twin, f"bias_ih_l0{suffix}").copy_(torch_order(layer.bias[direction, 0]))
            getattr(twin, f"bias_hh_l0{suffix}").zero_()
    return twin


@pytest.mark.parametrize("lengths", [[5, 5, 3, 1], [1], [1, 1], [6], [4, 4]], ids=str)
def test_layer_is_torch_lstm(lengths: list[int]) -> None:
    layer, packing = new_layer(), Packing.of(lengths)
    twin = torch_twin(layer)
    rows = torch.randn(packing.n_rows, INPUTS, dtype=torch.float64)
    ours, theirs = rows.clone().requires_grad_(), rows.clone().requires_grad_()

    outputs, final_cells = layer(ours, packing)
    packed = pack_padded_sequence(packing.pad(theirs), torch.tensor(lengths), batch_first=True)
    hidden, (_last_hidden, last_cells) = twin(packed)
    expected = pad_packed_sequence(hidden, batch_first=True)[0].flatten(0, 1)[packing.flat_index]
    expected_cells = torch.cat((last_cells[0], last_cells[1]), dim=1)
    torch.testing.assert_close(outputs, expected)
    torch.testing.assert_close(final_cells, expected_cells)

    toward, toward_cells = torch.randn_like(outputs), torch.randn_like(final_cells)
    ((outputs * toward).sum() + (final_cells * toward_cells).sum()).backward()
    ((expected * toward).sum() + (expected_cells * toward_cells).sum()).backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    for direction, suffix in enumerate(("", "_reverse")):
        for parameter, name in (
            (layer.input_weight, f"weight_ih_l0{suffix}"),
            (layer.recurrent_weight, f"weight_hh_l0{suffix}"),
        ):
            assert parameter.grad is not None
            torch.testing.assert_close(torch_order(parameter.grad[direction]).t(), getattr(twin, name).grad)
        assert layer.bias.grad is not None
        torch.testing.assert_close(
            torch_order(layer.bias.grad[direction, 0]), getattr(twin, f"bias_ih_l0{suffix}").grad
        )


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_the_result_does_not_depend_on_whether_gradients_are_asked_for(dropout: float) -> None:
    layer, packing = new_layer(dropout).train(), Packing.of([4, 2])
    x = torch.randn(packing.n_rows, INPUTS, dtype=torch.float64)
    torch.manual_seed(3)
    with torch.no_grad():
        plain = layer(x, packing)
    torch.manual_seed(3)
    for found, expected in zip(plain, layer(x, packing), strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_recurrence_has_the_gradients_of_its_equations_under_a_mask() -> None:
    """`torch.autograd.gradcheck` of the hand-written backward pass, variational mask on."""
    packing = Packing.of([3, 2, 1])
    torch.manual_seed(1)
    shapes = ((2, packing.n_rows, INPUTS), (2, INPUTS, 4 * SIZE), (2, 1, 4 * SIZE), (2, SIZE, 4 * SIZE))
    tensors = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    mask = torch.tensor([0.0, 1.5, 1.5, 0.0], dtype=torch.float64).expand(2, 3, SIZE).contiguous()
    for each in (None, mask):
        assert torch.autograd.gradcheck(
            lambda *inputs, each=each: lstm._Recurrence.apply(*inputs, each, packing), tuple(tensors)
        )


def test_the_mask_of_the_state_is_one_for_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variational dropout: the state is masked on its way into the next step, with the same mask at every step."""
    layer, packing = new_layer(dropout=0.5), Packing.of([4, 2])
    x = torch.randn(packing.n_rows, INPUTS, dtype=torch.float64)
    masks = 2.0 * torch.randint(0, 2, (2, 2, SIZE)).double()
    monkeypatch.setattr(lstm, "dropout_mask", lambda shape, probability, like: masks)
    monkeypatch.setattr(lstm, "drop_shared", lambda x, *others: x)
    outputs, _cells = layer.train()(x, packing)
    for sentence, length in enumerate(packing.lengths):
        rows = packing.table[sentence, :length]
        for direction, turns in enumerate((range(length), reversed(range(length)))):
            hidden = cell = torch.zeros(SIZE, dtype=torch.float64)
            for turn in turns:
                gates = x[rows[turn]] @ layer.input_weight[direction] + layer.bias[direction, 0]
                state = lstm_cell(
                    gates + (hidden * masks[direction, sentence]) @ layer.recurrent_weight[direction], cell
                )
                hidden, cell = state.hidden, state.cell
                found = outputs[rows[turn], direction * SIZE : (direction + 1) * SIZE]
                torch.testing.assert_close(found, hidden)


def test_dropout_is_for_training_only() -> None:
    layer, packing = new_layer(dropout=0.5), Packing.of([4, 2])
    x = torch.randn(packing.n_rows, INPUTS, dtype=torch.float64)
    calm = new_layer()(x, packing)[0]
    torch.testing.assert_close(layer.eval()(x, packing)[0], calm)
    assert not torch.allclose(layer.train()(x, packing)[0], calm)
