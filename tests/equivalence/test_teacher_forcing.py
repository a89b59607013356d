"""The decoder states of training are those of a search that is led along the gold trees."""

from __future__ import annotations

import pytest
import torch

from pointree.nn.teacher_forcing import teacher_forced_states
from pointree.search.step import Stepper, new_machine
from pointree.transitions import Constraints, pointing_steps

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
        trees = new_machine(stepper.branch, Constraints(single_root=False))
        golden = [pointing_steps(sentence.heads, parser.featurizer.systems[0]) for sentence in sentences]
        for step, count in enumerate(stepper.steps.active):
            trees.select(slice(count))
            focus, names, log_probs = stepper.advance(trees, step, width=1)
            now = [golden[row][step] for row in range(count)]
            assert focus.flatten().tolist() == [each.focus for each in now]
            position = torch.tensor([[each.position] for each in now])
            start = gold.steps.offsets[step]
            torch.testing.assert_close(stepper.memory[names, 0], forced[start : start + count], rtol=0, atol=1e-12)
            assert gold.targets[start : start + count].tolist() == position.flatten().tolist()
            assert bool((log_probs.gather(1, position) > float("-inf")).all()), "a gold step must be legal"
            trees.point(focus, position, log_probs.gather(1, position), names)
        assert trees.heads[0, 1:].tolist() == sentences[0].heads
