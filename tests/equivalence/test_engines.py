"""Every engine finds the same trees: torch and onnxruntime over random weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from pointree.config import Config
from pointree.models.graphs import write_graphs
from pointree.parser import Parser, load
from pointree.search.resumable import run_to_end
from pointree.treebank.sentence import Sentence

from ..helpers import (
    COMBINATIONS,
    HEADS,
    Combination,
    describe,
    random_sentences,
    tiny_config,
    tiny_parser,
)

SENTENCES = random_sentences([9, 4, 1, 12, 7, 2], seed=3)

OPTIONS: list[dict[str, Any]] = [
    {},
    {"single_root": False, "projective": True},
    {"beam": 4, "n_best": 3},
    {"beam": 3, "projective": True},
]


@cache
def engines(config: Config) -> tuple[Parser, Parser]:
    """The same model on torch and on onnxruntime."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        tiny_parser(config, seed=7).save(folder)
        write_graphs(folder)
        return load(folder, engine="torch"), load(folder, engine="onnx")


def assert_same(config: Config, sentences: list[Sentence], **options: Any) -> None:
    torch_parser, onnx_parser = engines(config)
    assert (torch_parser.engine.name, onnx_parser.engine.name) == ("torch", "onnx")
    expected = torch_parser.parse(sentences, probabilities=True, **options)
    found = onnx_parser.parse(sentences, probabilities=True, **options)
    assert len(found) == len(expected)
    for one, other in zip(expected, found, strict=True):
        assert other.heads == one.heads
        assert other.deprels == one.deprels
        assert [word.upos for word in other.words] == [word.upos for word in one.words]
        scores = [[float(each.meta("tree_log_prob") or 0)] for each in (one, other)]
        np.testing.assert_allclose(scores[1], scores[0], rtol=0, atol=2e-4)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_same_trees_with_every_decoder(combination: Combination) -> None:
    for options in OPTIONS[::2]:
        assert_same(tiny_config(combination), SENTENCES, **options)


@pytest.mark.parametrize("order", [None, "combined", "right-to-left"])
def test_same_trees_with_several_decoders(order: str | None) -> None:
    config = tiny_config(("combined", "simple", "gate1"))
    assert_same(config, SENTENCES, order=order)
    assert engines(config)[1].engine.best_order == engines(config)[0].engine.best_order


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_same_trees_with_every_search(options: dict[str, Any]) -> None:
    assert_same(tiny_config(COMBINATIONS[-1]), SENTENCES, **options)


@pytest.mark.parametrize(
    "layer",
    [
        {"embeddings": {"word_size": 0}},
        {"embeddings": {"char_filters": 0}},
        {"embeddings": {"char_filters": 0, "tag": "none"}},
        {"embeddings": {"word_size": 0, "tag": "none"}},
        {"encoder": {"layers": 1}},
        {"decoder": {"fuse_cell": False}},
        HEADS,
    ],
    ids=str,
)
def test_same_trees_with_other_networks(layer: dict[str, dict[str, Any]]) -> None:
    config = tiny_config(COMBINATIONS[1], layer)
    assert_same(config, SENTENCES)
    if layer is HEADS:
        assert_same(config, [Sentence.from_words(sentence.forms) for sentence in SENTENCES])


def test_scores_are_the_same_to_four_digits() -> None:
    numbered = [engines(tiny_config())[0].featurizer.numbers_of(sentence) for sentence in random_sentences([6, 3])]
    one, other = (run_to_end(parser.engine.encode_steps(numbered)).branch() for parser in engines(tiny_config()))
    state_ids, rows = np.array([[1, 0], [2, 0]]), np.array([0, 1])
    memories = [branch.new_memory(2) for branch in (one, other)]
    steps = [
        branch.step(memory, branch.arrays.from_numpy(state_ids), branch.arrays.from_numpy(rows), 3)
        for branch, memory in zip((one, other), memories, strict=True)
    ]
    for branch, step in zip((one, other), steps, strict=True):
        assert step.gates is not None
        assert step.gates.shape[:2] == (2, 2)
        logits = branch.arrays.to_numpy(branch.point(step.queries, 2))
        labels = branch.arrays.to_numpy(
            branch.label_logits(
                memories[0][3:, 0] if branch is one else memories[1][3:, 0], branch.arrays.from_numpy(rows)
            )
        )
        if branch is one:
            expected = logits, labels
    np.testing.assert_allclose(logits, expected[0], rtol=0, atol=1e-4)
    np.testing.assert_allclose(labels, expected[1], rtol=0, atol=1e-4)
    np.testing.assert_allclose(memories[1], memories[0].numpy(), rtol=0, atol=1e-4)


def test_a_tree_does_not_depend_on_its_batch() -> None:
    parser = engines(tiny_config())[1]
    together = parser.parse(SENTENCES)
    assert [parser.parse([sentence])[0].heads for sentence in SENTENCES] == [tree.heads for tree in together]


def test_traces_tell_the_same_story() -> None:
    for config in (
        tiny_config(),
        tiny_config(COMBINATIONS[0]),
        tiny_config(COMBINATIONS[1], {"decoder": {"fuse_cell": False}}),
    ):
        one, other = (parser.trace(SENTENCES[0], beam=2) for parser in engines(config))
        assert one.heads == other.heads
        for step, twin in zip(one.steps, other.steps, strict=True):
            np.testing.assert_allclose(twin.probs, step.probs, rtol=0, atol=1e-4)
            shares = [[source.share for source in each.sources] for each in (step, twin)]
            np.testing.assert_allclose(shares[1], shares[0], rtol=0, atol=1e-4)
            assert (step.gate is None) == (twin.gate is None)
            if step.gate is not None and twin.gate is not None:
                assert twin.gate.hidden == pytest.approx(step.gate.hidden, abs=1e-4)
                assert twin.gate.cell == pytest.approx(step.gate.cell, abs=1e-4)
