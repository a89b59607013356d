"""The batched trees of the search are the pure-Python trees, step by step."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from pointree.engines.torch_arrays import TorchArrays
from pointree.search.arrays import Arrays, NumpyArrays
from pointree.search.state import BatchedTrees
from pointree.transitions import BOTTOM_UP, Constraints, Order, PartialTree, Slot, legal_heads

from ..helpers import CONSTRAINTS

every_order = pytest.mark.parametrize("order", BOTTOM_UP.values(), ids=lambda order: order.name)
every_rule = pytest.mark.parametrize(
    "constraints", CONSTRAINTS, ids=lambda rule: f"single_root={rule.single_root}-projective={rule.projective}"
)

every_library = pytest.mark.parametrize(
    "arrays", [NumpyArrays(), TorchArrays(torch.device("cpu"))], ids=lambda arrays: type(arrays).__name__
)


class Twins:
    """Batched trees beside pure-Python ones, with a made-up name for every decoder state."""

    def __init__(self, arrays: Arrays, lengths: list[int], slots: tuple[Slot, ...], constraints: Constraints) -> None:
        self.arrays = arrays
        self.batched = BatchedTrees(arrays, lengths, slots, constraints)
        self.slots = slots
        self.constraints = constraints
        self.n_positions = max(lengths) + 1
        self.trees = [PartialTree(n) for n in lengths]
        self.names: list[dict[int, int]] = [{0: 0} for _ in lengths]
        self.previous = list(range(1, 1 + len(lengths)))
        self.next_name = 1 + len(lengths)

    def column(self, values: list[Any], dtype: type = np.int64) -> Any:
        return self.arrays.from_numpy(np.array(values, dtype=dtype)[:, None])

    def select(self, rows: list[int]) -> None:
        self.batched.select(self.arrays.from_numpy(np.array(rows)))
        self.trees = [self.trees[row].copy() for row in rows]
        self.names = [dict(self.names[row]) for row in rows]
        self.previous = [self.previous[row] for row in rows]

    def assert_same(self, focus: list[int]) -> None:
        column = self.column(focus)
        legal, sources = self.batched.legal(column).tolist(), self.batched.sources(column).tolist()
        for row, (tree, word) in enumerate(zip(self.trees, focus, strict=True)):
            padding = [False] * (self.n_positions - tree.n - 1)
            assert legal[row] == legal_heads(tree, word, self.constraints) + padding
            read = [self.names[row][tree.dependent(word, slot)] for slot in self.slots]
            assert sources[row] == [self.previous[row], *read]

    def attach(self, focus: list[int], heads: list[int], log_probs: list[float]) -> None:
        names = list(range(self.next_name, self.next_name + len(focus)))
        self.next_name += len(focus)
        self.batched.point(
            self.column(focus),
            self.column(heads),
            self.column(log_probs, np.float32),
            self.column(names)[:, 0],
        )
        for tree, word, head in zip(self.trees, focus, heads, strict=True):
            tree.attach(word, head)
        for row, name in enumerate(names):
            self.names[row][focus[row]] = name
        self.previous = names


def run(arrays: Arrays, order: Order, constraints: Constraints, random: Random, slots: tuple[Slot, ...]) -> None:
    lengths = sorted((random.randint(1, 12) for _ in range(random.randint(1, 6))), reverse=True)
    turns = [order.focus_sequence(n) for n in lengths]
    twins = Twins(arrays, lengths, slots, constraints)
    chosen: list[dict[int, float]] = [{} for _ in lengths]
    for step in range(lengths[0]):
        running = [row for row in range(len(turns)) if step < len(turns[row])]
        if not running:
            break
        if len(running) < len(turns) or random.random() < 0.3:
            # What a search does between two steps: finished sentences go, hypotheses are repeated and reordered.
            rows = random.choices(running, k=random.randint(1, 6)) if random.random() < 0.7 else running
            twins.select(rows)
            turns, chosen = [turns[row] for row in rows], [dict(chosen[row]) for row in rows]
        focus = [turn[step] for turn in turns]
        twins.assert_same(focus)
        heads = []
        for tree, word in zip(twins.trees, focus, strict=True):
            legal = [head for head, is_legal in enumerate(legal_heads(tree, word, constraints)) if is_legal]
            assert legal, "a search must never run out of legal heads"
            heads.append(random.choice(legal))
        log_probs = [-random.random() for _ in focus]
        twins.attach(focus, heads, log_probs)
        for row, word in enumerate(focus):
            chosen[row][word] = log_probs[row]
        for row, tree in enumerate(twins.trees):
            assert twins.batched.heads[row].tolist()[: tree.n + 1] == [head or 0 for head in tree.heads]
            assert twins.batched.tops[row].tolist()[: tree.n + 1] == tree.tops
            kept = twins.batched.log_probs[row].tolist()
            assert kept == pytest.approx([chosen[row].get(word, 0.0) for word in range(len(kept))])


@every_library
@every_rule
@every_order
def test_batched_trees_are_the_pure_python_trees(arrays: Arrays, order: Order, constraints: Constraints) -> None:
    for seed in range(15):
        for fusion in order.fusions.values():
            run(arrays, order, constraints, Random(seed), fusion)


@every_library
@every_rule
def test_all_slots_are_followed_in_any_order_of_the_words(arrays: Arrays, constraints: Constraints) -> None:
    for seed in range(15):
        random = Random(seed)
        anyhow = Order(
            name="anyhow",
            focus_sequence=lambda n, random=random: tuple(random.sample(range(1, n + 1), n)),
            slots=tuple(Slot),
            fusions={"none": ()},
        )
        run(arrays, anyhow, constraints, random, tuple(Slot))
