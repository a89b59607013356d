"""Every decoder gets the state machine of its order."""

from __future__ import annotations

import pytest

from pointree.search.stacks import BatchedStacks
from pointree.search.state import BatchedTrees
from pointree.search.step import new_machine
from pointree.transitions import ORDERS, Constraints

from ..helpers import make_batch, random_sentences, tiny_config, tiny_parser


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_decides(order: str) -> None:
    parser = tiny_parser(tiny_config((order, "none", "gate1")))
    branch = parser.engine.encode(make_batch(parser, random_sentences([4, 2]))).branch()
    machine = new_machine(branch, Constraints())
    assert isinstance(machine, BatchedStacks if order == "top-down" else BatchedTrees)
    assert machine.exists.tolist() == [[True] * 5, [True] * 3 + [False] * 2]
    assert (machine.focus is None) == (order != "top-down")
