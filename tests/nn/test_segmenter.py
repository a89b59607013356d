"""The network of the segmenter: shapes, and scores that depend on the margin and nothing else."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

from pointree.config import SegmenterConfig
from pointree.nn.segmenter import SegmenterNetwork, SegmenterScores
from pointree.text.alphabet import N_SHAPES, Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion
from pointree.text.reading import segment_text


@pytest.fixture(scope="module")
def network() -> SegmenterNetwork:
    torch.manual_seed(1)
    rules = SegmenterRules(Alphabet("abcdefgh. "), Expansion())
    return SegmenterNetwork(SegmenterConfig(size=8, layers=3), rules).eval().requires_grad_(False)


def test_scores_depend_on_the_margin_alone(network: SegmenterNetwork) -> None:
    rng = np.random.default_rng(1)
    chars, shapes = rng.integers(0, 12, (1, 100)), rng.integers(0, N_SHAPES, (1, 100))
    scores = SegmenterScores(network)
    whole = scores(chars, shapes)
    assert whole.shape == (1, 100, 3)
    assert network.margin == 7
    part = scores(chars[:, 20:60], shapes[:, 20:60])
    np.testing.assert_allclose(part[:, 7:-7], whole[:, 27:53], atol=1e-5)
    both = scores(np.concatenate((chars, chars[:, ::-1])), np.concatenate((shapes, shapes[:, ::-1])))
    np.testing.assert_allclose(both[:1], whole, atol=1e-5)
    chars[0, 50 - 8] = chars[0, 50 - 8] % 11 + 1
    np.testing.assert_array_equal(scores(chars, shapes)[:, 50:], whole[:, 50:])


def test_dropout_is_for_training(network: SegmenterNetwork) -> None:
    chars = torch.ones(2, 20, dtype=torch.long)
    assert torch.equal(network(chars, chars), network(chars, chars))
    network.train()
    assert not torch.equal(network(chars, chars), network(chars, chars))
    network.eval()


def test_a_segmenter_can_be_pickled(network: SegmenterNetwork) -> None:
    segmenter = network.segmenter()
    copy = pickle.loads(pickle.dumps(segmenter))
    text = "abc. de fgh. a b" * 20
    assert [s.forms for s in segment_text(text, copy)] == [s.forms for s in segment_text(text, segmenter)]
