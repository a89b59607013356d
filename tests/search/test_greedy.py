"""Tests of greedy search."""

from __future__ import annotations

import torch

from pointree.search.greedy import greedy_steps
from pointree.search.resumable import run_to_end
from pointree.transitions import Constraints

from ..helpers import is_tree, make_batch, random_sentences, tiny_parser


def test_finished_sentences_keep_their_trees_while_longer_ones_go_on() -> None:
    parser = tiny_parser(seed=21)
    lengths = [9, 6, 2, 2, 1]
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, random_sentences(lengths)))
        trees = run_to_end(greedy_steps(encoded.branch(), Constraints()))
    assert trees.heads.shape == trees.log_probs.shape == trees.state_ids.shape == (5, 1, 10)
    for row, n in enumerate(lengths):
        assert is_tree(trees.heads[row, 0, 1 : n + 1].tolist())
        assert bool((trees.state_ids[row, 0, 1 : n + 1] > 0).all())
        assert not trees.state_ids[row, 0, n + 1 :].any(), "padding has no decoder state"
        assert not trees.log_probs[row, 0, n + 1 :].any()
    names = trees.state_ids[trees.state_ids > 0].tolist()
    assert len(set(names)) == sum(lengths), "every word has a decoder state of its own"
    torch.testing.assert_close(trees.scores, trees.log_probs.sum(dim=2))
