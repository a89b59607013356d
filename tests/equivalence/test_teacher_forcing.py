"""The decoder states of training are those of a search that is led along the gold trees."""

from __future__ import annotations

import pytest
import torch

from pointree.nn.teacher_forcing import teacher_forced_states
from pointree.search.state import BatchedTrees
from pointree.search.step import Stepper
from pointree.transitions import Constraints

from ..helpers import (
    COMBINATIONS,
    Combination,
    by_falling_length,
    describe,
    make_batch,
    random_sentences,
    tiny_config,
    tiny_parser,
)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_teacher_forced_states_are_stepped_states(combination: Combination) -> None:
    parser = tiny_parser(tiny_config(combination), seed=17)
    network = parser.network.double()
    sentences = by_falling_length(random_sentences([11, 3, 3, 8, 1], seed=18))
    batch = make_batch(parser, sentences, gold=True)
    [gold] = batch.gold
    assert gold is not None
    with torch.no_grad():
        [encoding] = network.encode(batch).values()
        gates = encoding.input_gates.index_select(0, gold.focus_rows)
        forced = teacher_forced_states(network.decoder, encoding.initial, gates, gold.state_ids, gold.steps)

        stepper = Stepper.start(parser.engine.encode(batch).branch(), beam=1)
        trees = BatchedTrees(
            stepper.branch.arrays,
            stepper.steps.lengths,
            parser.featurizer.systems[0].slots,
            Constraints(single_root=False),
        )
        for step, count in enumerate(stepper.steps.active):
            trees.select(slice(count))
            focus, names, log_probs = stepper.advance(trees, step, width=1)
            gold_heads = [sentences[row].heads[word - 1] for row, word in enumerate(focus.flatten().tolist())]
            head = torch.tensor(gold_heads).unsqueeze(1)
            start = gold.steps.offsets[step]
            torch.testing.assert_close(stepper.memory[names, 0], forced[start : start + count], rtol=0, atol=1e-12)
            assert gold.heads[start : start + count].tolist() == gold_heads
            assert bool((log_probs.gather(1, head) > float("-inf")).all()), "a gold head must be legal"
            trees.attach(focus, head, log_probs.gather(1, head), names)
