"""A beam of one hypothesis is greedy search."""

from __future__ import annotations

import pytest
import torch

from pointree.search.beam import beam_steps
from pointree.search.greedy import greedy_steps
from pointree.search.resumable import run_to_end
from pointree.transitions import Constraints

from ..helpers import (
    COMBINATIONS,
    CONSTRAINTS,
    Combination,
    by_falling_length,
    describe,
    make_batch,
    random_sentences,
    tiny_config,
    tiny_parser,
)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_beam_of_one_is_greedy(combination: Combination) -> None:
    parser = tiny_parser(tiny_config(combination), seed=13)
    batch = make_batch(parser, by_falling_length(random_sentences([9, 1, 4, 9, 2, 13], seed=14)))
    for constraints in CONSTRAINTS:
        with torch.inference_mode():
            encoded = parser.engine.encode(batch)
            greedy = run_to_end(greedy_steps(encoded.branch(), constraints))
            beam = run_to_end(beam_steps(encoded.branch(), constraints, beam=1))
        assert beam.heads.shape == greedy.heads.shape == (6, 1, 14)
        assert torch.equal(beam.heads, greedy.heads)
        torch.testing.assert_close(beam.log_probs, greedy.log_probs)
        torch.testing.assert_close(beam.scores, greedy.scores)
        states = [trees.memory[trees.state_ids.flatten()] for trees in (beam, greedy)]
        torch.testing.assert_close(*states)


@pytest.mark.parametrize("beam", [2, 8])
def test_the_best_of_a_beam_is_never_less_probable_than_what_the_beam_starts_from(beam: int) -> None:
    """Scores are sums over the arcs, best first, and a beam that can hold all trees has the very best one."""
    parser = tiny_parser(seed=15)
    batch = make_batch(parser, by_falling_length(random_sentences([3, 2, 1], seed=16)))
    with torch.inference_mode():
        encoded = parser.engine.encode(batch)
        greedy = run_to_end(greedy_steps(encoded.branch(), Constraints()))
        beam = run_to_end(beam_steps(encoded.branch(), Constraints(), beam))
        wide = run_to_end(beam_steps(encoded.branch(), Constraints(), 50))
    assert bool((wide.scores[:, 0] >= greedy.scores[:, 0] - 1e-6).all())
    assert bool((wide.scores[:, 0] >= beam.scores[:, 0] - 1e-6).all())
    exists = beam.scores > float("-inf")
    torch.testing.assert_close(beam.scores[exists], beam.log_probs.sum(dim=2)[exists])
    assert bool((beam.scores[:, :-1] >= beam.scores[:, 1:]).all())
