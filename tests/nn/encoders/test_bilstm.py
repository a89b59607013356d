"""Tests of the stack of layers."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from pointree.config import BiLstmConfig
from pointree.nn.encoders import BiLstm
from pointree.nn.packing import Packing

INPUTS, SIZE, LAYERS, LENGTHS = 5, 3, 3, [6, 4, 4, 1]


def test_the_stack_is_a_torch_lstm_of_as_many_layers() -> None:
    torch.manual_seed(0)
    encoder = BiLstm(BiLstmConfig(size=SIZE, layers=LAYERS), inputs=INPUTS).double().eval()
    twin = nn.LSTM(INPUTS, SIZE, num_layers=LAYERS, bidirectional=True, batch_first=True).double()
    with torch.no_grad():
        for number, layer in enumerate(encoder.layers):
            layer.bias.normal_()
            for direction, suffix in enumerate(("", "_reverse")):
                name = f"l{number}{suffix}"
                for theirs, ours in (
                    (f"weight_ih_{name}", layer.input_weight[direction].t()),
                    (f"weight_hh_{name}", layer.recurrent_weight[direction].t()),
                    (f"bias_ih_{name}", layer.bias[direction, 0]),
                ):
                    output, input_, forget, candidate = ours.split(SIZE)
                    getattr(twin, theirs).copy_(torch.cat((input_, forget, candidate, output)))
                getattr(twin, f"bias_hh_{name}").zero_()
    positions = Packing.of(LENGTHS)
    x = torch.randn(positions.n_rows, INPUTS, dtype=torch.float64)
    states, final_cells = encoder(x, positions)
    packed = pack_padded_sequence(positions.pad(x), torch.tensor(LENGTHS), batch_first=True)
    hidden, (_last_hidden, last_cells) = twin(packed)
    expected = pad_packed_sequence(hidden, batch_first=True)[0].flatten(0, 1)[positions.flat_index]
    torch.testing.assert_close(states, expected)
    torch.testing.assert_close(final_cells, torch.cat((last_cells[-2], last_cells[-1]), dim=1))
    assert states.shape == (15, 2 * SIZE)
