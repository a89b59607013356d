"""The network and the search do what the paper's equations say, as `tests/reference.py` writes them down."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.transitions import Constraints
from pointree.treebank.sentence import Sentence

from ..helpers import (
    COMBINATIONS,
    CONSTRAINTS,
    NO_DROPOUT,
    Combination,
    by_falling_length,
    describe,
    make_batch,
    random_sentences,
    tiny_config,
    tiny_parser,
)
from ..reference_top_down import reference_of

Settings = dict[str, dict[str, Any]]

every_combination = pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)

PARTS = {
    "words": {"char_filters": 0, "tag": "none"},
    "characters": {"word_size": 0, "tag": "none", "char_window": 5},
    "xpos": {"word_size": 0, "char_filters": 0, "tag": "xpos"},
    "one character at a time": {"char_window": 1},
}


def reference_loss(parser: Parser, sentences: list[Sentence], parameters: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    arcs, labels = [], []
    lookup = parser.vocabularies.deprels.lookup
    for sentence in sentences:
        heads = [head for head in sentence.heads if head is not None]
        reference = reference_of(parser, sentence, parameters)
        arc_loss, label_loss = reference.loss(heads, [lookup(deprel) for deprel in sentence.deprels])
        arcs.append(arc_loss)
        labels.append(label_loss)
    return torch.stack(arcs).sum(), torch.stack(labels).sum()


@every_combination
def test_loss_and_gradients_are_those_of_the_equations(combination: Combination, *layers: Settings) -> None:
    parser = tiny_parser(tiny_config(combination, NO_DROPOUT, *layers))
    network = parser.network.double().train()
    sentences = by_falling_length(random_sentences([6, 1, 4, 4, 2]))
    parameters = {name: parameter.detach().clone().requires_grad_() for name, parameter in network.named_parameters()}

    loss = network.loss(make_batch(parser, sentences, gold=True), torch.float64)
    loss.objective().backward()
    arcs, labels = reference_loss(parser, sentences, parameters)
    ((arcs + labels) / 17).backward()

    assert loss.arcs.sum().item() == pytest.approx(arcs.item(), rel=1e-10)
    assert loss.labels.sum().item() == pytest.approx(labels.item(), rel=1e-10)
    n_steps = 2 * 17 - len(sentences) if combination[0] == "top-down" else 17
    assert loss.arcs.shape == loss.labels.shape == (1, n_steps)
    for name, parameter in network.named_parameters():
        gradient = parameter.grad
        assert gradient is not None, name
        expected = parameters[name].grad
        torch.testing.assert_close(gradient.to_dense(), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("gate", ["gate1", "gate2"])
def test_cells_that_are_not_fused_pass_as_they_are(gate: str) -> None:
    """`decoder.fuse_cell = false`, the other reading of §3.1: loss, gradients and search."""
    combination = ("outside-in", "full", gate)
    hidden_only = {"decoder": {"fuse_cell": False}}
    test_loss_and_gradients_are_those_of_the_equations(combination, hidden_only)
    test_greedy_search_follows_the_equations(combination, hidden_only)
    parsers = [tiny_parser(tiny_config(combination, NO_DROPOUT, layer)) for layer in ({}, hidden_only)]
    batches = [make_batch(parser, random_sentences([5]), gold=True) for parser in parsers]
    first, second = (parser.network.loss(batch).objective() for parser, batch in zip(parsers, batches, strict=True))
    assert not torch.isclose(first, second)


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS.keys())
def test_each_part_of_the_embeddings_can_be_switched_off(parts: dict[str, object]) -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], NO_DROPOUT, {"embeddings": parts}))
    network = parser.network.double()
    sentences = by_falling_length(random_sentences([5, 3]))
    loss = network.loss(make_batch(parser, sentences, gold=True), torch.float64)
    arcs, labels = reference_loss(parser, sentences, dict(network.named_parameters()))
    assert loss.arcs.sum().item() == pytest.approx(arcs.item(), rel=1e-10)
    assert loss.labels.sum().item() == pytest.approx(labels.item(), rel=1e-10)


@every_combination
def test_greedy_search_follows_the_equations(combination: Combination, *layers: Settings) -> None:
    parser = tiny_parser(tiny_config(combination, *layers), seed=3)
    sentences = random_sentences([7, 3, 1, 5], seed=4)
    for constraints in CONSTRAINTS:
        options = ParseOptions(single_root=constraints.single_root, projective=constraints.projective)
        for sentence, (tree,) in zip(sentences, parser.trees(sentences, options), strict=True):
            reference = reference_of(parser, sentence)
            decoding = reference.greedy(constraints)
            labels = reference.best_labels(decoding, parser.vocabularies.deprels.lookup("root"))
            assert tree.heads == decoding.tree.heads[1:]
            assert tree.labels == [label for label, _log_prob in labels]
            expected = decoding.log_prob + sum(log_prob for _label, log_prob in labels)
            assert tree.log_prob == pytest.approx(expected, abs=1e-4)
            assert tree.label_probs == pytest.approx([math.exp(log_prob) for _label, log_prob in labels], abs=1e-5)


@every_combination
def test_a_wide_beam_finds_all_trees_and_ranks_them_as_exhaustive_search_does(combination: Combination) -> None:
    parser = tiny_parser(tiny_config(combination), seed=5)
    root_label = parser.vocabularies.deprels.lookup("root")
    number = COMBINATIONS.index(combination)
    # Every rule with every combination would take long; in turn, each order and gate meets each rule.
    constraints: Constraints = CONSTRAINTS[number % 4]
    for sentence in random_sentences([1, 2, 3, 4 if number % 3 == 0 else 3], seed=number):
        reference = reference_of(parser, sentence)
        expected = []
        for decoding in reference.all_decodings(constraints):
            labels = reference.best_labels(decoding, root_label)
            score = decoding.log_prob + sum(log_prob for _label, log_prob in labels)
            expected.append((score, decoding.tree.heads[1:], [label for label, _log_prob in labels]))
        expected.sort(key=lambda tree: -tree[0])
        width = len(expected) + 7
        options = ParseOptions(
            beam=width, n_best=width, single_root=constraints.single_root, projective=constraints.projective
        )
        (found,) = parser.trees([sentence], options)
        assert [tree.log_prob for tree in found] == pytest.approx([score for score, *_rest in expected], abs=1e-4)
        assert {tuple(tree.heads) for tree in found} == {tuple(heads) for _score, heads, _labels in expected}
        assert len(found) == len(expected)
        labels_of = {tuple(heads): labels for _score, heads, labels in expected}
        scores_of = {tuple(heads): score for score, heads, _labels in expected}
        for tree in found:
            assert tree.labels == labels_of[tuple(tree.heads)]
            assert tree.log_prob == pytest.approx(scores_of[tuple(tree.heads)], abs=1e-4)
