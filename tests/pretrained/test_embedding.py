"""Pretrained vectors as a part of the embeddings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pointree.config import PretrainedConfig
from pointree.pretrained.embedding import PretrainedEmbedding, ScalarMix
from pointree.pretrained.identity import PretrainedIdentity

from .small_models import make_pretrained, open_pretrained

IDENTITY = PretrainedIdentity("tiny", "", 4, 3)


def test_frozen_vectors_pass_as_they_are_and_have_no_parameters() -> None:
    embedding = PretrainedEmbedding(PretrainedConfig(model="tiny"), IDENTITY)
    vectors = torch.randn(5, 1, 4).to(torch.bfloat16)
    assert torch.equal(embedding(vectors, torch.float32), vectors[:, 0].float())
    assert not list(embedding.parameters())


def test_a_learned_mix_is_all_that_is_learned() -> None:
    embedding = PretrainedEmbedding(PretrainedConfig(model="tiny", layers=(1, 2), mix="learned"), IDENTITY)
    assert {name for name, _ in embedding.named_parameters()} == {"mix.weights", "mix.scale"}
    vectors = torch.randn(5, 2, 4)
    torch.testing.assert_close(embedding(vectors, torch.float32), vectors.mean(dim=1))


def test_a_batch_without_vectors_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="the batch has none"):
        PretrainedEmbedding(PretrainedConfig(model="tiny"), IDENTITY)(None, torch.float32)


def test_a_fine_tuned_model_multiplies_in_the_type_of_the_network(tmp_path: Path) -> None:
    model = open_pretrained(make_pretrained(tmp_path))
    config = PretrainedConfig(model=str(tmp_path), layers=(1, 2, 3), fine_tune=True)
    embedding = PretrainedEmbedding(config, model.identity)
    embedding.model = model
    words = [["the", "rain", "of", "the", "day"]]
    batch = model.lay_out(words, [np.arange(6)])
    linear = next(module for module in model.modules() if isinstance(module, torch.nn.Linear))
    seen: list[torch.dtype] = []
    linear.register_forward_hook(lambda _module, _inputs, output: seen.append(output.dtype))
    exact = embedding(batch, torch.float32)
    rough = embedding(batch, torch.bfloat16)
    assert seen == [torch.float32, torch.bfloat16]
    assert (exact.dtype, rough.dtype) == (torch.float32, torch.bfloat16)
    torch.testing.assert_close(rough.float(), exact, atol=0.1, rtol=0.1)
    rough.float().sum().backward()
    assert linear.weight.grad is not None
    assert linear.weight.grad.dtype == torch.float32


def test_a_mix_starts_as_the_mean_and_learns_to_prefer_a_layer() -> None:
    torch.manual_seed(0)
    layers, mix = torch.randn(5, 3, 4), ScalarMix(3)
    torch.testing.assert_close(mix(layers), layers.mean(dim=1))
    optimiser = torch.optim.Adam(mix.parameters(), lr=0.1)
    for _ in range(100):
        optimiser.zero_grad()
        (mix(layers) - layers[:, 1]).square().sum().backward()
        optimiser.step()
    assert mix.weights.softmax(dim=0).argmax() == 1
