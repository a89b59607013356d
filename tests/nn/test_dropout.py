"""Tests of the three kinds of dropout."""

from __future__ import annotations

import torch

from pointree.nn.dropout import drop_rows, drop_shared, dropout_mask


def test_a_mask_keeps_the_expectation() -> None:
    torch.manual_seed(0)
    mask = dropout_mask((200, 100), 0.25, torch.zeros(1, dtype=torch.float64))
    assert mask.dtype == torch.float64
    assert sorted(set(mask.flatten().tolist())) == [0.0, 1 / 0.75]
    assert abs(float(mask.mean()) - 1.0) < 0.02


def test_rows_are_dropped_whole() -> None:
    torch.manual_seed(1)
    dropped = drop_rows(torch.ones(500, 7), 0.4, training=True)
    kept = (dropped != 0).sum(dim=1)
    assert set(kept.tolist()) == {0, 7}
    assert abs(float((kept == 0).float().mean()) - 0.4) < 0.08


def test_all_rows_of_a_sentence_lose_the_same_dimensions() -> None:
    torch.manual_seed(2)
    owners = torch.tensor([0, 1, 2, 0, 1, 0])
    dropped = drop_shared(torch.ones(6, 50), owners, 3, 0.5, training=True)
    for first, second in ((0, 3), (3, 5), (1, 4)):
        assert torch.equal(dropped[first], dropped[second])
    assert not torch.equal(dropped[0], dropped[1])


def test_nothing_is_dropped_outside_training_or_at_probability_zero() -> None:
    x, owners = torch.randn(4, 3), torch.tensor([0, 0, 1, 1])
    assert drop_rows(x, 0.5, training=False) is x
    assert drop_rows(x, 0.0, training=True) is x
    assert drop_shared(x, owners, 2, 0.5, training=False) is x
    assert drop_shared(x, owners, 2, 0.0, training=True) is x
