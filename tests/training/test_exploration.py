"""What the decoder sees of its own mistakes in training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from pointree.batches.features import NumberedSentence
from pointree.nn.batch import Batch
from pointree.nn.features import TensorFeaturizer
from pointree.nn.packing import Packing
from pointree.training.exploration import Exploration
from pointree.transitions import BOTTOM_UP, Slot, TransitionSystem

from ..helpers import COMBINATIONS, overfit, random_sentences, short_ewt_sentences, tiny_vocabularies
from .runs import small_config, small_trainer

LENGTHS = [6, 4, 4, 1]
SLOTS = (Slot.LEFTMOST, Slot.RIGHTMOST)


def explore(order: str, probability: float) -> tuple[list[NumberedSentence], Exploration]:
    featurizer = TensorFeaturizer(
        tiny_vocabularies(), "upos", [TransitionSystem(BOTTOM_UP[order], SLOTS)], torch.device("cpu")
    )
    numbered = [featurizer.numbers_of(sentence, gold=True) for sentence in random_sentences(LENGTHS)]
    return numbered, Exploration(numbered, featurizer.systems, probability)


def gold_of(sentence: NumberedSentence) -> tuple[list[int], list[list[int]]]:
    [gold] = sentence.gold
    return gold.targets.tolist(), gold.slots.tolist()


def attach_all_to(exploration: Exploration, numbers: list[int], head: int) -> None:
    steps = Packing.of([LENGTHS[number] for number in numbers])
    exploration.remember(numbers, steps, torch.full((1, steps.n_rows), head))


@pytest.mark.parametrize("order", BOTTOM_UP)
def test_before_anything_was_predicted_steps_see_the_gold_tree(order: str) -> None:
    numbered, exploration = explore(order, 1.0)
    for number, sentence in enumerate(numbered):
        assert gold_of(exploration.sentence(number)) == gold_of(sentence)


def test_steps_see_what_was_predicted_and_predict_what_is_gold() -> None:
    numbered, exploration = explore("left-to-right", 1.0)
    attach_all_to(exploration, [0, 2], 3)
    heads, slots = gold_of(exploration.sentence(2))
    assert heads == gold_of(numbered[2])[0]
    assert slots == [[0, 0], [0, 0], [1, 0], [0, 0]], "words 1 and 2 were attached to 3 before its turn"
    assert gold_of(exploration.sentence(1)) == gold_of(numbered[1]), "of sentence 1 nothing was predicted"


def test_predictions_come_in_the_order_of_the_steps() -> None:
    numbered, exploration = explore("outside-in", 1.0)
    steps = Packing.of([4])
    exploration.remember([1], steps, torch.tensor([[2, 3, 0, 2]]))  # the heads of words 1, 4, 2 and 3
    assert exploration.heads[0, 6:10].tolist() == [2, 0, 2, 3]
    assert gold_of(exploration.sentence(1))[1] == [[0, 0], [0, 0], [1, 0], [0, 4]]
    assert gold_of(exploration.sentence(0)) == gold_of(numbered[0])


def test_a_share_of_the_words_is_explored() -> None:
    _numbered, exploration = explore("left-to-right", 0.3)
    exploration.gold_heads[:] = 0
    attach_all_to(exploration, [0], 6)
    torch.manual_seed(1)
    leftmost = [gold_of(exploration.sentence(0))[1][-1][0] for _ in range(1000)]
    assert leftmost.count(1) == pytest.approx(300, abs=45), "so often the first word is seen as predicted"
    assert leftmost.count(2) == pytest.approx(0.7 * 300, abs=40), "words are drawn independently of each other"


def test_without_gold_steps_nothing_can_be_explored() -> None:
    featurizer = TensorFeaturizer(
        tiny_vocabularies(), "upos", [TransitionSystem(BOTTOM_UP["outside-in"], SLOTS)], torch.device("cpu")
    )
    numbered = [featurizer.numbers_of(sentence) for sentence in random_sentences([2])]
    with pytest.raises(ValueError, match="only sentences with gold steps can be explored"):
        Exploration(numbered, featurizer.systems, 1.0)


def test_training_remembers_what_it_predicted(tmp_path: Path) -> None:
    trainer = small_trainer(tmp_path, small_config(exploration=1.0, epochs=1))
    assert trainer.exploration is not None
    gold = trainer.exploration.heads.clone()
    trainer.run()
    assert trainer.exploration.heads.shape == gold.shape
    assert not trainer.exploration.heads.equal(gold), "after one epoch there are mistakes"


def test_training_shows_what_it_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = small_trainer(tmp_path, small_config(exploration=1.0, epochs=1))
    exploration, batch_of = trainer.exploration, trainer.parser.featurizer.batch
    assert exploration is not None
    exploration.heads[:] = 1  # all words depend on the first one, whose turn comes before theirs
    seen: list[int] = []

    def watched(sentences: Sequence[NumberedSentence]) -> Batch:
        batch = batch_of(sentences)
        seen.extend(int(gold.state_ids[:, 1:].count_nonzero()) for gold in batch.gold)
        return batch

    monkeypatch.setattr(trainer.parser.featurizer, "batch", watched)
    trainer.run()
    assert len(seen) == 3
    assert not any(seen), "no word has a dependent at its turn"


def test_a_network_that_knows_its_sentences_remembers_their_trees() -> None:
    sentences = short_ewt_sentences()
    parser = overfit(COMBINATIONS[1], sentences, most_steps=200)
    numbered = sorted((parser.featurizer.numbers_of(each, gold=True) for each in sentences), key=len, reverse=True)
    exploration = Exploration(numbered, parser.featurizer.systems, 1.0)
    exploration.heads[:] = 0
    batch = parser.featurizer.batch(numbered)
    with torch.no_grad():
        exploration.remember(range(len(numbered)), batch.gold[0].steps, parser.network.loss(batch).predicted)
    assert exploration.heads[0].equal(exploration.gold_heads)


def test_a_sequential_parser_has_nothing_to_explore(tmp_path: Path) -> None:
    config = small_config(exploration=1.0)
    sequential = type(config).from_dict({**config.to_dict(), "decoder": {"size": 8, "fusion": "none"}})
    assert small_trainer(tmp_path, sequential).exploration is None
    assert small_trainer(tmp_path, small_config()).exploration is None
