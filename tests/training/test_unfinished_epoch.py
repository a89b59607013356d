"""What each process has of an epoch that was not finished."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pointree.training.distributed import Group
from pointree.training.unfinished_epoch import UnfinishedEpoch

CPU = torch.device("cpu")


class Together(Group):
    """A process of several that are not there: their rows are added to its own."""

    def __init__(self, rank: int, size: int, others: dict[int, UnfinishedEpoch]) -> None:
        super().__init__(rank, size)
        self.others = others

    def sum(self, values: Tensor) -> Tensor:
        found = values.clone()
        for rank, other in self.others.items():
            found[rank] = other.losses if values.shape[1:] == (2,) else torch.get_rng_state()
        return found


def learned(group: Group, *losses: float) -> UnfinishedEpoch:
    part = UnfinishedEpoch(group, CPU)
    part.losses += torch.tensor(losses)
    return part


def test_random_numbers_and_losses_go_on() -> None:
    torch.manual_seed(5)
    torch.rand(3)
    state = learned(Group(), 1.25, 2.5).state()
    assert {name: tuple(rows.shape[:1]) for name, rows in state.items()} == {"losses": (1,), "random": (1,)}
    expected = torch.rand(4)
    torch.manual_seed(6)
    other = UnfinishedEpoch(Group(), CPU)
    other.load_state(state)
    assert other.losses.tolist() == [1.25, 2.5]
    assert torch.rand(4).equal(expected)
    other.losses += 1
    assert state["losses"].tolist() == [[1.25, 2.5]]


def test_each_process_has_a_row() -> None:
    torch.manual_seed(5)
    state = learned(Together(1, 2, {0: learned(Group(), 3.0, 4.0)}), 1.25, 2.5).state()
    assert state["losses"].tolist() == [[3.0, 4.0], [1.25, 2.5]]
    assert state["random"].dtype == torch.uint8
    assert state["random"][1].equal(torch.get_rng_state())
    other = UnfinishedEpoch(Group(1, 2), CPU)
    other.load_state(state)
    assert other.losses.tolist() == [1.25, 2.5]


@pytest.mark.parametrize(("rank", "losses"), [(0, [4.25, 6.5]), (2, [0.0, 0.0])])
def test_with_another_number_of_processes_no_loss_is_forgotten(rank: int, losses: list[float]) -> None:
    state = learned(Together(1, 2, {0: learned(Group(), 3.0, 4.0)}), 1.25, 2.5).state()
    torch.manual_seed(7)
    before = torch.get_rng_state()
    other = UnfinishedEpoch(Group(rank, 3), CPU)
    other.load_state(state)
    assert other.losses.tolist() == losses
    assert torch.get_rng_state().equal(before)
