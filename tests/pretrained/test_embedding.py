"""Pretrained vectors as a part of the embeddings."""

from __future__ import annotations

import pytest
import torch

from pointree.config import PretrainedConfig
from pointree.pretrained.embedding import PretrainedEmbedding
from pointree.pretrained.identity import PretrainedIdentity

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
