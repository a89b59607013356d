"""Tests of the engine that runs on torch, by what the parser asks of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pointree.engines.torch_engine import TorchEngine, resolve_device
from pointree.errors import UsageError
from pointree.search.resumable import run_to_end

from ..helpers import make_batch, random_sentences, tiny_parser


def test_encoding_with_pauses_is_encoding_without() -> None:
    parser = tiny_parser()
    sentences = random_sentences([5, 3])
    paused = run_to_end(parser.engine.encode_steps([parser.featurizer.numbers_of(each) for each in sentences]))
    at_once = parser.engine.encode(make_batch(parser, sentences))  # type: ignore[attr-defined]
    assert torch.equal(paused.branch().encoding.keys, at_once.branch().encoding.keys)  # type: ignore[attr-defined]
    assert list(paused.branches) == ["left-to-right"]


def test_a_saved_engine_is_loaded_alike(tmp_path: Path) -> None:
    engine = tiny_parser().engine
    engine.save(tmp_path, "A card.\n")
    loaded = TorchEngine.load(tmp_path)
    assert (loaded.name, loaded.precision) == ("torch", "fp32")
    for name, tensor in engine.network.state_dict().items():  # type: ignore[attr-defined]
        assert torch.equal(tensor, loaded.network.state_dict()[name])


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="device nowhere cannot be used"):
        resolve_device("nowhere")
