"""Tests of the packing of sequences."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pointree.nn.packing import Packing

LENGTHS = [5, 3, 3, 1]


def rows_by_hand(lengths: list[int]) -> dict[tuple[int, int], int]:
    """The row of each (sequence, step): all sequences that run at step 0, then those at step 1, and so on."""
    pairs = [(sequence, step) for step in range(max(lengths)) for sequence, n in enumerate(lengths) if step < n]
    return {pair: row for row, pair in enumerate(pairs)}


def test_steps_are_contiguous_and_without_padding() -> None:
    packing = Packing.of(LENGTHS)
    assert (packing.batch_size, packing.n_steps, packing.n_rows) == (4, 5, 12)
    assert packing.active == [4, 3, 3, 1, 1]
    assert packing.offsets == [0, 4, 7, 10, 11, 12]
    for (sequence, step), row in rows_by_hand(LENGTHS).items():
        assert packing.table[sequence, step] == row
        assert packing.offsets[step] + sequence == row


def test_pack_and_pad_are_inverse() -> None:
    packing = Packing.of(LENGTHS)
    padded = np.arange(4 * 5 * 2).reshape(4, 5, 2)
    packed = packing.pack(padded)
    for (sequence, step), row in rows_by_hand(LENGTHS).items():
        assert packed[row].tolist() == padded[sequence, step].tolist()
    again = packing.pad(torch.from_numpy(packed))
    assert again.shape == (4, 5, 2)
    for sequence, step in rows_by_hand(LENGTHS):
        assert again[sequence, step].tolist() == padded[sequence, step].tolist()
    assert packing.pad(torch.from_numpy(packed[:, 0])).shape == (4, 5)


@pytest.mark.parametrize("lengths", [LENGTHS, [1], [7], [1, 1, 1], [4, 4]], ids=str)
def test_indices_point_where_they_say(lengths: list[int]) -> None:
    packing = Packing.of(lengths)
    by_hand = rows_by_hand(lengths)
    for (sequence, step), row in by_hand.items():
        assert packing.sentence_index[row] == sequence
        assert packing.reversal[row] == by_hand[sequence, lengths[sequence] - 1 - step]
        assert packing.flat_index[row] == sequence * packing.n_steps + step
        if step:
            assert packing.predecessors[row - len(lengths)] == by_hand[sequence, step - 1]
    assert len(packing.predecessors) == packing.n_rows - packing.batch_size
    assert packing.last_rows.tolist() == [by_hand[sequence, n - 1] for sequence, n in enumerate(lengths)]
    assert packing.length_tensor.tolist() == lengths


def test_sequences_must_be_sorted() -> None:
    with pytest.raises(ValueError, match="sorted by length"):
        Packing.of([2, 3])
