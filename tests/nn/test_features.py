"""Tests of the way from sentences to batches."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from pointree.batches.features import MAX_CHARS
from pointree.nn.features import TensorFeaturizer
from pointree.transitions import ORDERS, TransitionSystem, pointing_steps
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import ROOT, UNK, CharVocabulary

from ..helpers import random_sentences, tiny_vocabularies

VOCABULARIES = tiny_vocabularies()


def new_featurizer(tag: str = "upos", order: str = "left-to-right", fusion: str = "simple") -> TensorFeaturizer:
    slots = ORDERS[order].fusion(fusion)
    return TensorFeaturizer(VOCABULARIES, tag, [TransitionSystem(ORDERS[order], slots)], torch.device("cpu"))


def test_root_stands_before_the_words() -> None:
    numbered = new_featurizer().numbers_of(
        Sentence.from_words(["tok", "never-seen", "17"], upos=["VERB", "SYM", "NOUN"])
    )
    words, tags = VOCABULARIES.words, VOCABULARIES.tags
    assert len(numbered) == 3
    assert numbered.words.tolist() == [ROOT, words.lookup("tok"), UNK, words.lookup("42")]
    assert numbered.tags.tolist() == [ROOT, tags.lookup("VERB"), UNK, tags.lookup("NOUN")]
    assert numbered.gold == ()


def test_the_tag_column_is_chosen() -> None:
    sentence = Sentence.from_words(["tok"], upos=["NOUN"], xpos=["VERB"])
    lookup = VOCABULARIES.tags.lookup
    assert new_featurizer("upos").numbers_of(sentence).tags.tolist() == [ROOT, lookup("NOUN")]
    assert new_featurizer("xpos").numbers_of(sentence).tags.tolist() == [ROOT, lookup("VERB")]
    assert set(new_featurizer("none").numbers_of(sentence).tags.tolist()) == {ROOT}


def test_every_position_has_the_characters_of_its_form() -> None:
    sentences = [Sentence.from_words(["ta", "tok", "ta"]), Sentence.from_words(["tok", "z" * (MAX_CHARS + 9)])]
    featurizer = new_featurizer()
    batch = featurizer.batch([featurizer.numbers_of(sentence) for sentence in sentences])
    lookup = VOCABULARIES.chars.lookup
    assert len(batch.chars) == 4, "ROOT and three forms, each once"
    for number, sentence in enumerate(sentences):
        for position, form in enumerate(["", *sentence.forms]):
            row = batch.forms[batch.positions.table[number, position]]
            spelling = batch.chars[row, : batch.char_lengths[row]]
            assert spelling.shape[1] == 1
            assert spelling.flatten().tolist() == ([lookup(char) for char in form[:MAX_CHARS]] if form else [ROOT])


def test_root_and_characters_without_parts_are_padded_to_the_width_of_those_that_have_some() -> None:
    chars = CharVocabulary.build({"각 a": 2}, 1, parts=True)
    vocabularies = replace(VOCABULARIES, chars=chars)
    featurizer = TensorFeaturizer(
        vocabularies, "upos", [TransitionSystem(ORDERS["left-to-right"], ())], torch.device("cpu")
    )
    batch = featurizer.batch([featurizer.numbers_of(Sentence.from_words(["a각"]))])
    a, syllable = chars.lookup("a"), chars.lookup("각")
    parts = [chars.lookup(part) for part in "\u1100\u1161\u11a8"]
    assert batch.chars.tolist() == [[[ROOT, 0, 0, 0], [0, 0, 0, 0]], [[a, 0, 0, 0], [syllable, *parts]]]
    assert batch.char_lengths.tolist() == [1, 2]


def test_sentences_of_a_batch_keep_to_their_rows() -> None:
    featurizer = new_featurizer()
    numbered = [featurizer.numbers_of(sentence) for sentence in random_sentences([5, 3, 1])]
    batch = featurizer.batch(numbered)
    assert batch.positions.lengths == (6, 4, 2)
    assert batch.gold == ()
    for number, sentence in enumerate(numbered):
        rows = batch.positions.table[number, : len(sentence) + 1]
        assert batch.words[rows].tolist() == sentence.words.tolist()
        assert batch.tags[rows].tolist() == sentence.tags.tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_gold_steps_name_the_states_of_attached_dependents(order: str) -> None:
    fusion = list(ORDERS[order].fusions)[-1]
    featurizer = new_featurizer(order=order, fusion=fusion)
    sentences = random_sentences([8, 5, 5, 1], seed=3)
    batch = featurizer.batch([featurizer.numbers_of(sentence, gold=True) for sentence in sentences])
    [gold] = batch.gold
    assert gold is not None
    top_down = order == "top-down"
    assert gold.steps.lengths == ((15, 9, 9, 1) if top_down else (8, 5, 5, 1))
    labels = iter(gold.labels.tolist())
    labelled = range(gold.steps.n_rows) if gold.attaching is None else gold.attaching.tolist()
    label_of = {row: next(labels) for row in labelled}
    first = 1 + len(sentences)
    for number, sentence in enumerate(sentences):
        steps = pointing_steps(sentence.heads, featurizer.systems[0])
        names = [first + int(row) for row in gold.steps.table[number, : len(steps)]]
        name_of = {step.dependent: name for step, name in zip(steps, names, strict=True)} | {0: 0}
        previous = 1 + number
        for turn, step in enumerate(steps):
            row = int(gold.steps.table[number, turn])
            assert gold.focus[row] == step.focus
            assert gold.never[row] == (0 if top_down else step.focus)
            assert gold.targets[row] == step.position
            if step.dependent:
                assert label_of[row] == VOCABULARIES.deprels.lookup(sentence.deprels[step.dependent - 1])
            else:
                assert row not in label_of
            assert gold.focus_rows[row] == batch.positions.table[number, step.focus]
            assert gold.target_rows[row] == batch.positions.table[number, step.position]
            assert gold.state_ids[row].tolist() == [previous, *(name_of[word] for word in step.reads)]
            previous = names[turn]


def test_without_fusion_a_step_reads_the_previous_state_alone() -> None:
    featurizer = new_featurizer(fusion="none")
    batch = featurizer.batch([featurizer.numbers_of(sentence, gold=True) for sentence in random_sentences([3, 2])])
    [gold] = batch.gold
    assert gold.state_ids.tolist() == [[1], [2], [3], [4], [5]]
    assert featurizer.systems[0].slots == ()


def test_the_cache_of_forms_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.batches.features._FORM_CACHE", 3)
    featurizer = new_featurizer()
    for number in range(20):
        featurizer.batch([featurizer.numbers_of(Sentence.from_words([f"w{number}", "ta"]))])
        assert len(featurizer._chars) <= 3
