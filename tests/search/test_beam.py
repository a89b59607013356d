"""Tests of beam search."""

from __future__ import annotations

import pytest
import torch

from pointree.search.beam import beam_steps
from pointree.search.result import Trees
from pointree.search.resumable import run_to_end
from pointree.transitions import Constraints

from ..helpers import CONSTRAINTS, is_tree, make_batch, random_sentences, tiny_parser

LENGTHS = [8, 5, 3, 2, 1]
N_TREES = {True: [1, 2, 9, 64], False: [1, 3, 16, 125]}
"""The number of trees over 1, 2, 3 and 4 words: with a single root n^(n-1), without (n + 1)^(n-1)."""


def run(beam: int, constraints: Constraints) -> Trees:
    parser = tiny_parser(seed=22)
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, random_sentences(LENGTHS)))
        return run_to_end(beam_steps(encoded.branch(), constraints, beam))


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("beam", [2, 5, 20])
def test_every_hypothesis_is_a_tree_of_its_own(beam: int, constraints: Constraints) -> None:
    trees = run(beam, constraints)
    assert trees.scores.shape == (len(LENGTHS), beam)
    for row, n in enumerate(LENGTHS):
        found = [
            tuple(trees.heads[row, rank, 1 : n + 1].tolist())
            for rank in range(beam)
            if trees.scores[row, rank] > float("-inf")
        ]
        assert len(set(found)) == len(found)
        for rank in range(beam):
            if trees.state_ids[row, rank, 1] > 0:  # also where there are fewer trees, and the best one is repeated
                assert is_tree(trees.heads[row, rank, 1 : n + 1].tolist(), single_root=constraints.single_root)
        if n <= 3 and not constraints.projective:
            assert len(found) == min(beam, N_TREES[constraints.single_root][n - 1])
        elif n > 3:
            assert len(found) == beam


def test_a_beam_wider_than_all_trees_says_how_many_there_are() -> None:
    trees = run(30, Constraints())
    exists = (trees.scores > float("-inf")).sum(dim=1)
    assert exists.tolist() == [30, 30, 9, 2, 1]
    assert bool((trees.scores[:, :-1] >= trees.scores[:, 1:]).all())


def test_hypotheses_have_decoder_states_of_their_own() -> None:
    trees = run(4, Constraints())
    assert bool((trees.state_ids[0, :, 1:] > 0).all())
    assert not bool((trees.state_ids[:, :, 0] > 0).any()), "ROOT has none"
    last = trees.state_ids[0, :, 8]
    assert len(set(last.tolist())) >= 2, "hypotheses that parted earlier were stepped apart"
