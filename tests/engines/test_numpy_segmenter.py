"""The segmenter without torch gives the scores of the network."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pointree.config import SegmenterConfig
from pointree.engines.numpy_segmenter import NumpyScores, numpy_segmenter
from pointree.models.quantise import quantise
from pointree.nn.segmenter import SegmenterNetwork, SegmenterScores
from pointree.text.alphabet import N_SHAPES, Alphabet
from pointree.text.char_segmenter import SegmenterRules
from pointree.text.expansion import Expansion
from pointree.text.reading import segment_text


@pytest.mark.parametrize(("bits", "tolerance"), [(None, 1e-5), (8, 0.2)])
def test_scores_are_those_of_torch(bits: int | None, tolerance: float) -> None:
    torch.manual_seed(1)
    rules = SegmenterRules(Alphabet("abcdefgh. "), Expansion())
    network = SegmenterNetwork(SegmenterConfig(size=16, layers=3), rules).eval().requires_grad_(False)
    weights = {f"segmenter.{name}": tensor.numpy() for name, tensor in network.state_dict().items()}
    stored = weights if bits is None else quantise(weights, 8)
    rng = np.random.default_rng(1)
    chars, shapes = rng.integers(0, 12, (3, 50)), rng.integers(0, N_SHAPES, (3, 50))
    scores = NumpyScores(stored)
    assert scores.margin == network.margin
    np.testing.assert_allclose(scores(chars, shapes), SegmenterScores(network)(chars, shapes), atol=tolerance)
    if bits is None:
        text = "abc. de fgh. a b" * 20
        found = [sentence.forms for sentence in segment_text(text, numpy_segmenter(rules, weights))]
        assert found == [sentence.forms for sentence in segment_text(text, network.segmenter())]
