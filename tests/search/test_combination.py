"""A model of three orders over one encoder: their opinions are combined as an ensemble combines models."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search.combination import best_heads, labelled_trees
from pointree.search.posteriors import find_posteriors
from pointree.transitions import BOTTOM_UP, Constraints, is_projective

from ..helpers import CONSTRAINTS, by_falling_length, is_tree, make_batch, random_sentences, tiny_config, tiny_parser

SENTENCES = by_falling_length(random_sentences([9, 7, 7, 4, 2, 1], seed=4))


def combined_parser(fusion: str = "simple") -> Parser:
    return tiny_parser(tiny_config(("combined", fusion, "gate1")))


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_the_tree_is_the_best_by_the_mean_of_the_orders(constraints: Constraints) -> None:
    parser = combined_parser()
    fields = {"single_root": constraints.single_root, "projective": constraints.projective}
    posteriors = [parser.posteriors(SENTENCES, ParseOptions(order=order, **fields)) for order in BOTTOM_UP]
    means = np.mean([each.heads() for each in posteriors], axis=0)
    lengths = [len(sentence) for sentence in SENTENCES]
    heads = best_heads(means, lengths, constraints)
    labels = np.mean([each.labels(heads, parser.root_label) for each in posteriors], axis=0)
    expected = labelled_trees(means, heads, labels, lengths)
    found = parser.trees(SENTENCES, ParseOptions(**fields))
    for [tree], other in zip(found, expected, strict=True):
        assert (tree.heads, tree.labels) == (other.heads, other.labels)
        assert tree.head_probs == pytest.approx(other.head_probs, abs=1e-6)
        assert tree.log_prob == pytest.approx(other.log_prob, abs=1e-4)
        assert is_tree(tree.heads, single_root=constraints.single_root)
        assert not constraints.projective or is_projective(tree.heads)


def test_combined_is_the_default_and_orders_can_be_named() -> None:
    parser = combined_parser()
    trees = {order: parser.trees(SENTENCES, ParseOptions(order=order)) for order in (None, "combined", *BOTTOM_UP)}
    assert trees[None] == trees["combined"]
    heads = {order: [tree.heads for [tree] in found] for order, found in trees.items()}
    assert len({str(found) for found in heads.values()}) > 2, "the orders disagree somewhere"
    with pytest.raises(UsageError, match="order upwards: expected one of combined, left-to-right, right-to-left, outs"):
        parser.parse([["a"]], order="upwards")
    with pytest.raises(UsageError, match="order combined: the model has one decoder, which is left-to-right"):
        tiny_parser().parse([["a"]], order="combined")


def test_one_order_of_three_is_a_parser_of_its_own() -> None:
    """Its greedy trees are those of a search in which the others have no part."""
    parser = combined_parser()
    for order in BOTTOM_UP:
        encoded = parser.engine.encode(make_batch(parser, SENTENCES), [order])  # type: ignore[attr-defined]
        assert list(encoded.branches) == [order]
        [alone] = find_posteriors(encoded, Constraints()).parts
        expected = alone.trees.heads[:, 0].tolist()
        for row, [tree] in zip(expected, parser.trees(SENTENCES, ParseOptions(order=order)), strict=True):
            assert tree.heads == row[1 : len(tree.heads) + 1]


def test_beam_and_trace_take_the_best_order_and_say_so_once(caplog: pytest.LogCaptureFixture) -> None:
    parser = combined_parser()
    parser.network.order_las[:] = parser.network.order_las.new_tensor([61.0, 63.0, 62.0])
    with caplog.at_level(logging.INFO, logger="pointree.messages"):
        beam = parser.trees(SENTENCES, ParseOptions(beam=3))
        several = parser.parse(SENTENCES[-2:], n_best=2)
        trace = parser.trace(SENTENCES[0])
    assert [record.getMessage() for record in caplog.records] == [
        "the model: a beam of 3 uses its best order alone, right-to-left; only greedy search combines orders"
    ]
    assert beam == parser.trees(SENTENCES, ParseOptions(beam=3, order="right-to-left"))
    assert [sentence.meta("tree_rank") for sentence in several] == ["1", "2", "1"]
    assert trace.order == "right-to-left"
    assert trace.heads == parser.trees(SENTENCES[:1], ParseOptions(order="right-to-left"))[0][0].heads
    assert parser.trace(SENTENCES[0], order="outside-in").order == "outside-in"
