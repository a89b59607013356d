"""Adam, clipping and the rows of the word table."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor

from pointree.config import Config
from pointree.engines.torch_folder import new_network
from pointree.nn.batch import Batch
from pointree.nn.model import PointerNetwork
from pointree.training.optimiser import Optimiser
from pointree.vocabulary import Vocabularies

from ..helpers import torch_parser
from .runs import SIZES, small_data


def network_and_batches(**sections: dict[str, Any]) -> tuple[Config, PointerNetwork, list[Batch]]:
    """A network without dropout in training mode, and three batches of two sentences."""
    still: dict[str, dict[str, Any]] = {section: {"dropout": 0.0} for section in SIZES}
    still["embeddings"]["unk_replacement"] = 0.0
    settings = {
        section: SIZES.get(section, {}) | still.get(section, {}) | sections.get(section, {})
        for section in (*SIZES, "training")
    }
    config = Config.from_dict(settings)
    train, _ = small_data()
    vocabularies = Vocabularies.build(train, min_count=1)
    torch.manual_seed(1)
    network = new_network(config, vocabularies)
    featurizer = torch_parser(config, vocabularies, network).featurizer
    pairs = [sorted(train[start : start + 2], key=len, reverse=True) for start in (8, 10, 12)]
    batches = [featurizer.batch([featurizer.numbers_of(sentence, gold=True) for sentence in pair]) for pair in pairs]
    return config, network.train(), batches


def weights(network: PointerNetwork) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in network.named_parameters()}


def step(network: PointerNetwork, batch: Batch, optimiser: Optimiser, rate: float = 0.01) -> float:
    network.loss(batch).objective().backward()
    return optimiser.step(rate)


def plain_step(network: PointerNetwork, batch: Batch, adam: torch.optim.Adam, clip: float = 0.0) -> float:
    """A step of torch's own Adam, with torch's own clipping."""
    adam.zero_grad()
    network.loss(batch).objective().backward()
    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), clip or float("inf"))
    adam.step()
    return float(norm)


def plain_adam(network: PointerNetwork, config: Config) -> torch.optim.Adam:
    training = config.training
    betas = (training.beta1, training.beta2)
    return torch.optim.Adam(network.parameters(), lr=0.01, betas=betas, eps=training.epsilon, fused=False)


def test_without_a_word_table_it_is_plain_adam() -> None:
    config, network, batches = network_and_batches(embeddings={"word_size": 0}, training={"clip": 0.0})
    other = copy.deepcopy(network)
    optimiser, adam = Optimiser(network, config.training), plain_adam(other, config)
    for batch in batches:
        assert step(network, batch, optimiser) == pytest.approx(plain_step(other, batch, adam), rel=1e-5)
    for name, expected in weights(other).items():
        # The pointer's bias has no influence, so its gradient is noise, which Adam makes a step of: hence the bound.
        torch.testing.assert_close(weights(network)[name], expected, rtol=1e-4, atol=1e-4)


def test_clipping_counts_the_rows_of_the_word_table() -> None:
    """A large epsilon lets the length of the gradients show in the update."""
    training = {"clip": 0.05, "epsilon": 1.0}
    config, network, batches = network_and_batches(training=training)
    other = copy.deepcopy(network).eval()  # not in training, the gradient of the word table is dense
    before = weights(network)
    optimiser, adam = Optimiser(network, config.training), plain_adam(other, config)
    norm = step(network, batches[0], optimiser)
    assert norm == pytest.approx(plain_step(other, batches[0], adam, clip=0.05), rel=1e-5)
    assert norm > 0.1
    for name, expected in weights(other).items():
        if name != "embeddings.words":
            torch.testing.assert_close(
                weights(network)[name] - before[name], expected - before[name], rtol=1e-3, atol=1e-8
            )


def test_gradients_below_the_limit_are_left_alone() -> None:
    config, network, batches = network_and_batches(training={"clip": 1e6, "epsilon": 1.0})
    _, other, _ = network_and_batches(training={"clip": 0.0, "epsilon": 1.0})
    step(network, batches[0], Optimiser(network, config.training))
    step(other, batches[0], Optimiser(other, Config.from_dict({"training": {"clip": 0.0, "epsilon": 1.0}}).training))
    assert all(weights(network)[name].equal(tensor) for name, tensor in weights(other).items())


def test_rows_of_words_that_are_not_in_the_batch_stay_as_they_are() -> None:
    config, network, batches = network_and_batches()
    optimiser = Optimiser(network, config.training)
    for batch in batches:
        before = weights(network)["embeddings.words"]
        step(network, batch, optimiser)
        changed = (weights(network)["embeddings.words"] != before).any(dim=1)
        assert set(changed.nonzero().flatten().tolist()) == set(batch.words.tolist())


def test_a_step_clears_the_gradients() -> None:
    config, network, batches = network_and_batches()
    step(network, batches[0], Optimiser(network, config.training))
    assert all(parameter.grad is None for parameter in network.parameters())


@pytest.mark.parametrize("word_size", [0, 8])
def test_the_state_survives_a_file(word_size: int) -> None:
    config, network, batches = network_and_batches(embeddings={"word_size": word_size})
    optimiser = Optimiser(network, config.training)
    for batch in batches[:2]:
        step(network, batch, optimiser)
    other = copy.deepcopy(network)
    resumed = Optimiser(other, config.training)
    resumed.load_state(load(save(optimiser.state())))
    assert resumed.state().keys() == optimiser.state().keys()
    assert len(resumed.state()) == 3 * len(weights(network))
    step(network, batches[2], optimiser)
    step(other, batches[2], resumed)
    assert all(weights(other)[name].equal(tensor) for name, tensor in weights(network).items())
    fresh = copy.deepcopy(other)
    step(fresh, batches[2], Optimiser(fresh, config.training))
    step(other, batches[2], resumed)
    assert not all(weights(other)[name].equal(tensor) for name, tensor in weights(fresh).items())


def test_a_fresh_optimiser_has_no_state() -> None:
    config, network, _ = network_and_batches()
    optimiser = Optimiser(network, config.training)
    assert optimiser.state() == {}
    optimiser.load_state({})
    assert optimiser.state() == {}
