"""Tests of the loss: its gradient by finite differences, its masks, and what belongs to it."""

from __future__ import annotations

import pytest
import torch

from pointree.nn.batch import Batch
from pointree.nn.model import PointerNetwork

from ..helpers import (
    COMBINATIONS,
    NO_DROPOUT,
    Combination,
    by_falling_length,
    describe,
    make_batch,
    random_sentences,
    tiny_config,
    tiny_parser,
)

STEP = 1e-5


def loss_of(network: PointerNetwork, batch: Batch) -> torch.Tensor:
    """The loss with the same dropout at every call."""
    torch.manual_seed(99)
    return network.loss(batch, torch.float64).objective()


def slope(network: PointerNetwork, batch: Batch, parameter: torch.Tensor, direction: torch.Tensor) -> float:
    """The derivative of the loss along a direction, by a central difference."""
    start = parameter.detach().clone()
    values = []
    with torch.no_grad():
        for sign in (1.0, -1.0):
            parameter.copy_(start + sign * STEP * direction)
            values.append(loss_of(network, batch).item())
        parameter.copy_(start)
    return (values[0] - values[1]) / (2 * STEP)


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [False, True], ids=["calm", "dropout"])
@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_gradient_of_the_loss(combination: Combination, dropout: bool) -> None:
    config = tiny_config(combination) if dropout else tiny_config(combination, NO_DROPOUT)
    parser = tiny_parser(config, scale=1.5)
    network = parser.network.double().train()
    network.embeddings.singletons[:] = True
    batch = make_batch(parser, by_falling_length(random_sentences([4, 1, 2], seed=5)), gold=True)
    loss_of(network, batch).backward()
    generator = torch.Generator().manual_seed(7)
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        gradient = parameter.grad.to_dense()
        # A random direction moves all entries at once; the entry with the steepest slope is checked alone.
        anywhere = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        steepest = torch.zeros_like(gradient)
        steepest.view(-1)[gradient.abs().argmax()] = 1.0
        for direction in (anywhere, steepest):
            expected = slope(network, batch, parameter, direction)
            assert (gradient * direction).sum().item() == pytest.approx(expected, rel=1e-4, abs=1e-7), name


def test_the_loss_of_a_batch_is_that_of_its_sentences() -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], NO_DROPOUT))
    sentences = by_falling_length(random_sentences([7, 3, 3, 1], seed=6))
    with torch.no_grad():
        together = parser.network.loss(make_batch(parser, sentences, gold=True))
        alone = [parser.network.loss(make_batch(parser, [sentence], gold=True)) for sentence in sentences]
    torch.testing.assert_close(together.arcs.sum(), torch.cat([loss.arcs for loss in alone], dim=1).sum())
    torch.testing.assert_close(together.labels.sum(), torch.cat([loss.labels for loss in alone], dim=1).sum())
    assert together.arcs.shape == (1, 14)
    torch.testing.assert_close(together.objective(), (together.arcs + together.labels).sum() / 14)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_predicted_heads_are_packed_as_the_gold_ones(combination: Combination) -> None:
    """Those of a batch are those of its sentences alone; no word is its own head and, top-down, ROOT no dependent."""
    parser = tiny_parser(tiny_config(combination, NO_DROPOUT), scale=1.5)
    sentences = by_falling_length(random_sentences([7, 4, 4, 1], seed=6))
    batch = make_batch(parser, sentences, gold=True)
    [gold] = batch.gold
    with torch.no_grad():
        [predicted] = parser.network.loss(batch).predicted
        by_sentence = gold.steps.pad(predicted.unsqueeze(1)).squeeze(2)
        for row, sentence in zip(by_sentence, sentences, strict=True):
            [alone] = parser.network.loss(make_batch(parser, [sentence], gold=True)).predicted
            assert row[: len(alone)].tolist() == alone.tolist()
            assert int(alone.max()) <= len(sentence)
    assert not bool((predicted == gold.never).any())
    if combination[0] != "top-down":
        assert not bool((predicted == gold.focus).any())


def test_a_loss_needs_gold_steps() -> None:
    parser = tiny_parser()
    with pytest.raises(ValueError, match="gold"):
        parser.network.loss(make_batch(parser, random_sentences([3])))


def test_training_draws_new_masks_and_evaluation_none() -> None:
    parser = tiny_parser()
    network, batch = parser.network, make_batch(parser, random_sentences([6]), gold=True)
    with torch.no_grad():
        network.train()
        assert network.loss(batch).objective() != network.loss(batch).objective()
        network.eval()
        assert network.loss(batch).objective() == network.loss(batch).objective()


def test_embeddings_have_a_share_of_their_own() -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1]))
    network, full = parser.network, parser.config.embeddings.dropout
    assert full > 0
    for share in (0.25, 0.0, 1.0):
        network.set_dropout(0.5, share)
        assert network.embeddings.dropout == share * full
        assert network.state_dropout == parser.config.decoder.dropout / 2


def test_a_share_of_the_dropout_holds_in_encoder_decoder_and_scorers() -> None:
    embeddings = {"embeddings": {"dropout": 0.0, "unk_replacement": 0.0}}
    parser = tiny_parser(tiny_config(COMBINATIONS[1], embeddings))
    network, batch = parser.network, make_batch(parser, random_sentences([6]), gold=True)
    with torch.no_grad():
        calm = network.eval().loss(batch).objective()
        network.train().set_dropout(0.0)
        assert network.loss(batch).objective() == calm, "nothing is dropped anywhere"
        network.set_dropout(1.0)
        as_new = tiny_parser(parser.config).network.train()
        objectives = []
        for each in (network, as_new):
            torch.manual_seed(1)
            objectives.append(each.loss(batch).objective())
        assert objectives[0] == objectives[1] != calm
    network.set_dropout(0.5)
    config = parser.config
    assert [layer.dropout for layer in network.encoder.layers] == [config.encoder.dropout / 2] * config.encoder.layers
    assert (network.output_dropout, network.state_dropout) == (config.encoder.dropout / 2, config.decoder.dropout / 2)
    assert (network.decoder.dropout, network.scorer_dropout) == (config.decoder.dropout / 2, config.scorers.dropout / 2)


def test_one_mask_for_each_space_is_shared_by_dependents_and_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """With scorer dropout alone, the loss is that of a network whose masked dimensions are gone on both sides."""
    only_scorers = {"scorers": {"dropout": 0.5}}
    parser = tiny_parser(tiny_config(COMBINATIONS[1], NO_DROPOUT, only_scorers))
    network, scorers = parser.network.double().train(), parser.config.scorers
    batch = make_batch(parser, random_sentences([5]), gold=True)
    asked: list[tuple[int, ...]] = []

    def halves(shape: tuple[int, ...], probability: float, like: torch.Tensor) -> torch.Tensor:
        asked.append(shape)
        return (torch.arange(shape[1]) % 2).to(like.dtype).expand(shape)

    monkeypatch.setattr("pointree.nn.model.dropout_mask", halves)
    with torch.no_grad():
        masked = network.loss(batch, torch.float64)
        kept = (torch.arange(scorers.arc_size + scorers.label_size) % 2).bool()
        arcs, labels = kept[: scorers.arc_size], kept[scorers.arc_size :]
        for scorer, kept_here in ((network.arcs, arcs), (network.labels, labels)):
            for side in (scorer.dependent, scorer.head):
                side.projection.weight[:, ~kept_here] = 0.0  # ELU(0) = 0
                side.projection.bias[~kept_here] = 0.0
        without = network.eval().loss(batch, torch.float64)
    assert asked == [(1, scorers.arc_size + scorers.label_size)]
    torch.testing.assert_close(masked.arcs, without.arcs)
    torch.testing.assert_close(masked.labels, without.labels)


def test_an_encoding_has_all_positions_of_all_sentences() -> None:
    parser = tiny_parser()
    with torch.no_grad():
        [encoding] = parser.network.encode(make_batch(parser, random_sentences([4, 2]))).values()
    assert encoding.initial.shape == (2, 2, 10)
    assert encoding.input_gates.shape == (8, 40)
    assert encoding.keys.shape == (2, 5, 9)
    assert encoding.key_biases.shape == (2, 5)
    assert encoding.label_heads.shape == (8, 7)


def test_several_orders_learn_what_each_learns_alone() -> None:
    """The loss of each decoder is that of a network of its order with the same weights."""
    sentences = by_falling_length(random_sentences([7, 3, 1], seed=6))
    combined = tiny_parser(tiny_config(("combined", "simple", "gate1"), NO_DROPOUT))
    weights = combined.network.state_dict()
    with torch.no_grad():
        together = combined.network.loss(make_batch(combined, sentences, gold=True))
        for row, order in enumerate(combined.network.systems):
            alone = tiny_parser(tiny_config((order, "simple", "gate1"), NO_DROPOUT))
            names = {name: name.replace("decoder.", f"decoders.{order}.") for name in alone.network.state_dict()}
            alone.network.load_state_dict({name: weights[other] for name, other in names.items()})
            loss = alone.network.loss(make_batch(alone, sentences, gold=True))
            torch.testing.assert_close(together.arcs[row], loss.arcs[0])
            torch.testing.assert_close(together.labels[row], loss.labels[0])
            assert together.predicted[row].tolist() == loss.predicted[0].tolist()
    torch.testing.assert_close(together.objective(), (together.arcs + together.labels).mean())
