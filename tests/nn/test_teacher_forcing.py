"""The backward pass of the decoder over given trees, checked by `torch.autograd.gradcheck`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from pointree.batches.features import NumberedSentence
from pointree.nn.decoder import Decoder
from pointree.nn.packing import Packing
from pointree.nn.teacher_forcing import _TeacherForcing, teacher_forced_states
from pointree.parser import Parser
from pointree.training.exploration import Exploration

from ..helpers import COMBINATIONS, Combination, describe, make_batch, random_sentences, tiny_config, tiny_parser

SIZE = 3


def random_heads(parser: Parser, sentences: Sequence[NumberedSentence]) -> list[NumberedSentence]:
    """The sentences as training sees them after random predictions, which are no trees."""
    exploration = Exploration(sentences, parser.featurizer.systems, 1.0)
    steps = Packing.of([len(sentence) for sentence in sentences])
    lengths = steps.length_tensor.index_select(0, steps.sentence_index)
    torch.manual_seed(3)
    exploration.remember(range(len(sentences)), steps, (torch.rand(1, steps.n_rows) * (lengths + 1)).long())
    return [exploration.sentence(number) for number in range(len(sentences))]


@pytest.mark.parametrize("masked", [False, True], ids=["calm", "masked"])
@pytest.mark.parametrize("gate", ["gate1", "gate2"])
def test_gradients_where_cells_pass_as_they_are(gate: str, masked: bool) -> None:
    check_gradients(("outside-in", "full", gate), "gold", masked, fuse_cell=False)


@pytest.mark.parametrize("masked", [False, True], ids=["calm", "masked"])
@pytest.mark.parametrize("trees", ["gold", "random"])
@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_gradients_of_states(combination: Combination, trees: str, masked: bool) -> None:
    check_gradients(combination, trees, masked, fuse_cell=True)


def check_gradients(combination: Combination, trees: str, masked: bool, *, fuse_cell: bool) -> None:
    parser = tiny_parser(tiny_config(combination))
    sentences = random_sentences([4, 3, 1], seed=COMBINATIONS.index(combination))
    numbered = [parser.featurizer.numbers_of(sentence, gold=True) for sentence in sentences]
    if trees == "random" and (not parser.featurizer.systems[0].slots or combination[0] == "top-down"):
        pytest.skip("the system does not explore")
    if trees == "random":
        numbered = random_heads(parser, numbered)
    [gold] = parser.featurizer.batch(numbered).gold
    assert gold is not None
    n_slots = len(parser.featurizer.systems[0].slots)
    torch.manual_seed(0)
    decoder = Decoder(inputs=2, start_size=2, size=SIZE, n_slots=n_slots, gate=combination[2], dropout=0.5).double()
    weights = decoder.weights(torch.float64)
    fusion = weights.fusion or (None, None, None)
    mask = torch.tensor([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0]], dtype=torch.float64) if masked else None

    def states(initial: Tensor, gates: Tensor, recurrent: Tensor, *fused: Tensor) -> Tensor:
        given = iter(fused)
        weights_of_fusion = [None if each is None else next(given) for each in fusion]
        found: Tensor = _TeacherForcing.apply(
            initial, gates, recurrent, *weights_of_fusion, mask, gold.state_ids, gold.steps, fuse_cell
        )
        return found

    inputs = [
        torch.randn(3, 2, SIZE, dtype=torch.float64),
        torch.randn(gold.steps.n_rows, 4 * SIZE, dtype=torch.float64),
        torch.randn(SIZE, 4 * SIZE, dtype=torch.float64),
        *(torch.randn_like(each) for each in fusion if each is not None),
    ]
    assert torch.autograd.gradcheck(states, [each.requires_grad_() for each in inputs], fast_mode=True)


def test_the_mask_is_for_training_and_shared_by_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = tiny_parser()
    [gold] = make_batch(parser, random_sentences([5, 2]), gold=True).gold
    assert gold is not None
    decoder = Decoder(inputs=2, start_size=2, size=SIZE, n_slots=1, gate="gate1", dropout=0.5).double()
    initial = torch.randn(2, 2, SIZE, dtype=torch.float64)
    gates = torch.randn(gold.steps.n_rows, 4 * SIZE, dtype=torch.float64)
    asked: list[tuple[int, ...]] = []

    def mask_of_ones(shape: tuple[int, ...], probability: float, like: Tensor) -> Tensor:
        asked.append(shape)
        return like.new_ones(shape)

    monkeypatch.setattr("pointree.nn.teacher_forcing.dropout_mask", mask_of_ones)
    calm = teacher_forced_states(decoder.eval(), initial, gates, gold.state_ids, gold.steps)
    assert asked == []
    masked = teacher_forced_states(decoder.train(), initial, gates, gold.state_ids, gold.steps)
    assert asked == [(2, SIZE)], "one mask a sentence, for all of its steps"
    torch.testing.assert_close(masked, calm)
