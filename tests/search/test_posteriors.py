"""Distributions over all heads and labels, beside the search that they come from."""

from __future__ import annotations

import pytest
import torch

from pointree.options import ParseOptions
from pointree.search import search_steps
from pointree.search.greedy import greedy_steps
from pointree.search.posteriors import find_posteriors
from pointree.search.resumable import run_to_end
from pointree.transitions import Constraints

from ..helpers import (
    COMBINATIONS,
    CONSTRAINTS,
    by_falling_length,
    describe,
    make_batch,
    random_sentences,
    tiny_config,
    tiny_parser,
)


@pytest.mark.parametrize("combination", [each for each in COMBINATIONS if each[0] != "top-down"][1::5], ids=describe)
def test_they_belong_to_the_greedy_parse(combination: tuple[str, str, str]) -> None:
    parser = tiny_parser(tiny_config(combination))
    sentences = by_falling_length(random_sentences([1, 2, 5, 9]))
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, sentences))
        [found] = find_posteriors(encoded, Constraints()).parts
        trees = run_to_end(search_steps(encoded, ParseOptions(), parser.root_label))
        labels = found.labels(found.trees.heads[:, 0], parser.root_label)
    for row, (sentence, [tree]) in enumerate(zip(sentences, trees, strict=True)):
        n = len(sentence)
        assert found.trees.heads[row, 0, 1 : n + 1].tolist() == tree.heads
        probs = found.heads[row, 1 : n + 1]
        assert probs.sum(dim=1).tolist() == pytest.approx([1.0] * n)
        assert probs[:, n + 1 :].sum() == 0
        assert torch.diagonal(probs, offset=1)[:n].sum() == 0, "no word is its own head"
        first = parser.featurizer.systems[0].order.focus_sequence(n)[0]  # every head is legal for the first focus word
        assert probs[first - 1, tree.heads[first - 1]].item() == pytest.approx(tree.head_probs[first - 1], abs=1e-6)
        of_words = labels[row, 1 : n + 1]
        assert of_words.argmax(dim=1).tolist() == tree.labels
        assert of_words.max(dim=1).values.tolist() == pytest.approx(tree.label_probs)
    assert found.heads[:, 0].sum() == 0


def test_labels_of_arcs_that_the_parser_did_not_choose() -> None:
    parser = tiny_parser()
    [sentence] = random_sentences([4])
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, [sentence]))
        [found] = find_posteriors(encoded, Constraints()).parts
        labels = found.labels(torch.tensor([[0, 0, 1, 1, 1]]), parser.root_label)
    assert parser.root_label is not None
    assert labels[0, 1:].sum(dim=1).tolist() == pytest.approx([1.0] * 4)
    assert labels[0, 1, parser.root_label] == 1.0
    assert labels[0, 2:, parser.root_label].sum() == 0


@pytest.mark.parametrize("fusion", ["none", "simple"])
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_decoders_that_search_together_find_what_each_finds_alone(fusion: str, constraints: Constraints) -> None:
    parser = tiny_parser(tiny_config(("combined", fusion, "gate1")), seed=2)
    sentences = by_falling_length(random_sentences([1, 2, 5, 9, 9, 12], seed=6))
    with torch.inference_mode():
        encoded = parser.engine.encode(make_batch(parser, sentences))
        together = find_posteriors(encoded, constraints).parts
        for part, (order, branch) in zip(together, encoded.branches.items(), strict=True):
            alone = run_to_end(greedy_steps(branch, constraints))
            assert part.branch.order.name == order
            assert part.trees.heads.tolist() == alone.heads.tolist()
            words = alone.state_ids[:, 0] > 0
            states = [each.memory[each.state_ids[:, 0][words]] for each in (alone, part.trees)]
            torch.testing.assert_close(*states, rtol=0, atol=1e-5)
