"""Tests of labels and of the ranking with them."""

from __future__ import annotations

import math

import pytest
import torch

from pointree.options import ParseOptions
from pointree.search import search_steps
from pointree.search.beam import beam_steps
from pointree.search.labels import label_trees
from pointree.search.result import ParseTree
from pointree.search.resumable import run_to_end
from pointree.transitions import Constraints

from ..helpers import DEPRELS, make_batch, random_sentences, tiny_parser

SENTENCES = random_sentences([7, 4, 2, 1], seed=23)


def run(root_label: int | None, n_best: int = 6, seed: int = 24) -> list[list[ParseTree]]:
    parser = tiny_parser(seed=seed)
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, SENTENCES))
        trees = run_to_end(beam_steps(encoded.branch(), Constraints(), 6))
        return label_trees(encoded.branch(), trees, root_label, n_best)


@pytest.mark.parametrize("root_label", range(len(DEPRELS)))
def test_the_root_label_is_for_arcs_from_root_and_no_others(root_label: int) -> None:
    for found in run(root_label):
        for tree in found:
            for head, label in zip(tree.heads, tree.labels, strict=True):
                assert (label == root_label) == (head == 0)


def test_without_a_root_label_every_arc_has_its_best_one() -> None:
    seen = {
        (head == 0, label)
        for seed in range(5)
        for found in run(None, seed=seed)
        for tree in found
        for head, label in zip(tree.heads, tree.labels, strict=True)
    }
    assert len({label for from_root, label in seen if from_root}) > 1


def test_the_score_of_a_tree_is_that_of_its_arcs_and_labels() -> None:
    for sentence, found in zip(SENTENCES, run(2), strict=True):
        assert [tree.log_prob for tree in found] == sorted((tree.log_prob for tree in found), reverse=True)
        for tree in found:
            assert len(tree.heads) == len(tree.labels) == len(tree.head_probs) == len(tree.label_probs) == len(sentence)
            total = sum(map(math.log, tree.head_probs)) + sum(map(math.log, tree.label_probs))
            assert tree.log_prob == pytest.approx(total, abs=1e-4)


def test_labels_can_change_the_ranking_of_arcs() -> None:
    arcs_in_rank = [
        [sum(map(math.log, tree.head_probs)) for tree in found] for seed in range(5) for found in run(2, seed=seed)
    ]
    assert any(scores != sorted(scores, reverse=True) for scores in arcs_in_rank)


def test_as_many_trees_come_back_as_were_asked_for_and_exist() -> None:
    assert [len(found) for found in run(2, n_best=6)] == [6, 6, 2, 1]
    assert [len(found) for found in run(2, n_best=3)] == [3, 3, 2, 1]


@pytest.mark.parametrize(("beam", "expected"), [(1, [4, 4, 2, 1]), (6, [4, 4, 2, 1])])
def test_search_chooses_greedy_or_beam(beam: int, expected: list[int]) -> None:
    parser = tiny_parser(seed=24)
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, SENTENCES))
        found = run_to_end(search_steps(encoded, ParseOptions(beam=beam, n_best=4), 2))
    assert [len(trees) for trees in found] == expected
