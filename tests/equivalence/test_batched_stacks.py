"""Batched stacks say the same as the pure-Python top-down states, step by step, whatever a search does to them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from pointree.engines.torch_arrays import TorchArrays
from pointree.search.arrays import Arrays, NumpyArrays
from pointree.search.stacks import BatchedStacks
from pointree.transitions import Constraints, Relative
from pointree.transitions.top_down import TopDownState, legal_positions, n_top_down_steps

from ..helpers import CONSTRAINTS


class Hypothesis:
    """A pure-Python state with a made-up name for every decoder state, and what its steps cost."""

    def __init__(self, n: int, name: int) -> None:
        self.n = n
        self.state = TopDownState(n)
        self.names = {0: 0}
        self.previous = name
        self.log_probs = [0.0] * (n + 1)

    def copy(self) -> Hypothesis:
        twin = Hypothesis(self.n, self.previous)
        twin.state, twin.names, twin.log_probs = self.state.copy(), dict(self.names), self.log_probs.copy()
        return twin

    def sources(self) -> list[int]:
        head = self.state.tree.heads[self.state.focus] or 0
        return [self.previous, self.names[head], self.names[self.state.siblings[self.state.focus]]]

    def point(self, position: int, log_prob: float, name: int) -> None:
        if position == self.state.focus:
            self.log_probs[0] += log_prob
        else:
            self.log_probs[position] = log_prob
            self.names[position] = name
        self.state.point(position)
        self.previous = name


def column(arrays: Arrays, values: list[Any], dtype: type = np.int64) -> Any:
    return arrays.from_numpy(np.array(values, dtype=dtype)[:, None])


@pytest.mark.parametrize("arrays", [NumpyArrays(), TorchArrays(torch.device("cpu"))], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_batched_stacks_are_the_pure_python_states(arrays: Arrays, constraints: Constraints) -> None:
    for seed in range(40):
        run(arrays, constraints, Random(seed))


def run(arrays: Arrays, constraints: Constraints, random: Random) -> None:
    lengths = sorted((random.randint(1, 11) for _ in range(random.randint(1, 6))), reverse=True)
    n_positions = lengths[0] + 1
    batched = BatchedStacks(arrays, lengths, tuple(Relative), constraints)
    slow = [Hypothesis(n, name) for name, n in enumerate(lengths, 1)]
    next_name = 1 + len(lengths)
    for step in range(n_top_down_steps(lengths[0])):
        running = [row for row, each in enumerate(slow) if step < n_top_down_steps(each.n)]
        if not running:
            break
        if len(running) < len(slow) or random.random() < 0.3:
            rows = random.choices(running, k=random.randint(1, 6)) if random.random() < 0.7 else running
            batched.select(arrays.from_numpy(np.array(rows)))
            slow = [slow[row].copy() for row in rows]
        focus = [each.state.focus for each in slow]
        assert batched.focus[:, 0].tolist() == focus
        legal = [legal_positions(each.state, constraints) for each in slow]
        padded = [row + [False] * (n_positions - len(row)) for row in legal]
        assert batched.legal(batched.focus).tolist() == padded
        assert batched.sources(batched.focus).tolist() == [each.sources() for each in slow]
        positions = [random.choice([place for place, is_legal in enumerate(row) if is_legal]) for row in legal]
        log_probs = [-random.random() for _ in slow]
        names = list(range(next_name, next_name + len(slow)))
        next_name += len(slow)
        batched.point(
            batched.focus,
            column(arrays, positions),
            column(arrays, log_probs, np.float32),
            arrays.from_numpy(np.array(names)),
        )
        for row, each in enumerate(slow):
            each.point(positions[row], log_probs[row], names[row])
            heads = [head or 0 for head in each.state.tree.heads]
            assert batched.heads[row].tolist()[: each.n + 1] == heads
            assert batched.log_probs[row].tolist()[: each.n + 1] == pytest.approx(each.log_probs, abs=1e-5)
            own = [each.names.get(word, 0) for word in range(each.n + 1)]
            assert batched.state_ids[row].tolist()[: each.n + 1] == own
