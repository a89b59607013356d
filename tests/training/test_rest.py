"""Which sentences rest, and what those that do not then count."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from pointree.nn.batch import Batch
from pointree.nn.model import Loss
from pointree.nn.packing import Packing
from pointree.training.rest import Rest

from .runs import small_config, small_trainer

LENGTHS = [10, 1, 10, 1]


def with_losses(lengths: list[int], losses: list[float], chance: float) -> Rest:
    rest = Rest(lengths, chance)
    rest.restore(torch.tensor(losses))
    return rest


def test_what_was_never_trained_on_does_not_rest() -> None:
    rest = Rest(LENGTHS, 0.9)
    assert rest.start(seed=1, epoch=1) == [0, 1, 2, 3]
    assert rest.weights.tolist() == [1, 1, 1, 1]


def test_only_known_sentences_rest_and_count_for_more_when_they_do_not() -> None:
    rest = with_losses(LENGTHS, [0.5, 9.0, 2.0, 0.1], 0.75)  # 1.55 for an average word
    seen = [(rest.start(seed=1, epoch=epoch), rest.weights.tolist()) for epoch in range(1, 400)]
    assert all(1 in chosen and 2 in chosen for chosen, _weights in seen), "those with more loss than average"
    assert {tuple(weights) for _chosen, weights in seen} == {
        (first, 1.0, 1.0, last) for first in (0.0, 4.0) for last in (0.0, 4.0)
    }
    for chosen, weights in seen:
        assert chosen == [number for number, weight in enumerate(weights) if weight]


@given(st.floats(0.125, 8, width=32), st.lists(st.integers(1, 99), min_size=1, max_size=5), st.integers(1, 50))
def test_not_all_sentences_rest(loss: float, lengths: list[int], epoch: int) -> None:
    rest = with_losses(lengths, [loss] * len(lengths), 0.9)
    assert rest.start(seed=1, epoch=epoch) == list(range(len(lengths)))


def test_the_expected_weight_of_every_sentence_is_one() -> None:
    rest = with_losses([1] * 4000, [0.1] * 3000 + [5.0] * 1000, 0.4)
    kept = len(rest.start(seed=3, epoch=2))
    assert kept == pytest.approx(1000 + 0.6 * 3000, abs=100)
    assert rest.weights.mean().item() == pytest.approx(1.0, abs=0.04)


def test_seed_and_epoch_alone_decide_who_rests() -> None:
    rest = with_losses([1] * 40, [0.1] * 30 + [5.0] * 10, 0.5)
    first = rest.start(seed=1, epoch=2)
    assert rest.start(seed=1, epoch=2) == first
    assert rest.start(seed=1, epoch=3) != first
    assert rest.start(seed=2, epoch=2) != first


def test_losses_are_those_of_an_average_word_of_each_sentence() -> None:
    rest = Rest([5, 1, 3], 0.5)
    steps = Packing.of([3, 1])  # packed: first steps of both sentences, then the others of the first
    rest.remember([2, 1], steps, torch.tensor([1.0, 7.0, 2.0, 6.0]))
    assert rest.losses.tolist() == [torch.inf, 7.0, 3.0]
    rest.weights = torch.tensor([0.0, 1.0, 2.0])
    assert rest.weights_of([2, 1], steps).tolist() == [2.0, 1.0, 2.0, 2.0]


def test_the_objective_is_the_mean_of_what_words_count() -> None:
    arcs, labels = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0.5, 0.0, 1.0])
    loss = Loss(arcs, labels, predicted=torch.zeros(3))
    assert loss.objective().item() == pytest.approx(8.5 / 3)
    assert loss.objective(torch.tensor([2.0, 1.0, 1.0])).item() == pytest.approx((3.0 + 2.0 + 5.0) / 4)


def test_training_learns_only_from_sentences_that_do_not_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = small_trainer(tmp_path, small_config(rest=0.9, epochs=1))
    rest, loss = trainer.rest, trainer.network.loss
    assert rest is not None
    rest.restore(torch.tensor([0.0] * 14 + [9.0]))
    words: list[int] = []

    def watched(batch: Batch, dtype: torch.dtype) -> Loss:
        words.append(batch.positions.n_rows - batch.positions.batch_size)
        return loss(batch, dtype)

    monkeypatch.setattr(trainer.network, "loss", watched)
    trainer.run()
    lengths = [len(sentence) for sentence in trainer.encoded]
    chosen = rest.weights.nonzero()[:, 0].tolist()
    assert 14 in chosen
    assert len(chosen) < 8
    assert sum(words) == sum(lengths[number] for number in chosen)
    changed = [number for number, last in enumerate(rest.losses.tolist()) if last not in (0.0, 9.0)]
    assert changed == chosen


def test_training_minimises_what_sentences_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = small_trainer(tmp_path, small_config(rest=0.5, epochs=1))
    assert trainer.rest is not None
    trainer.rest.restore(torch.tensor([0.0] * 14 + [9.0]))
    objective, used = Loss.objective, []

    def watched(loss: Loss, weights: Tensor | None = None) -> Tensor:
        assert weights is not None
        used.extend(weights.tolist())
        return objective(loss, weights)

    monkeypatch.setattr(Loss, "objective", watched)
    trainer.run()
    by_sentence = zip(trainer.rest.weights.tolist(), map(len, trainer.encoded), strict=True)
    expected = [weight for weight, length in by_sentence if weight for _word in range(length)]
    assert sorted(used) == sorted(expected)
    assert set(used) == {1.0, 2.0}


def test_without_the_setting_nothing_rests(tmp_path: Path) -> None:
    assert small_trainer(tmp_path, small_config()).rest is None
