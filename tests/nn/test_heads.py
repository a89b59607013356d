"""Columns that the network predicts itself: learned with the parser, written where there are none."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch.nn import functional

from pointree.config import HeadsConfig
from pointree.nn.heads import ColumnHeads
from pointree.parser import Parser
from pointree.text.udpipe import TextModel
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import COLUMNS

from ..helpers import COMBINATIONS, HEADS, overfit, short_ewt_sentences, tiny_config, tiny_parser, torch_parser

WRONG = {"upos": "X", "xpos": "X", "feats": "A=B", "lemma": "X"}


@cache
def joint_parser() -> Parser:
    """A parser that knows the columns and trees of a few sentences by heart."""
    return overfit(COMBINATIONS[1], short_ewt_sentences(), HEADS, most_steps=200)


def values(sentence: Sentence) -> list[list[str]]:
    return [[getattr(word, column) for column in COLUMNS] for word in sentence.words]


def wrong(sentence: Sentence) -> Sentence:
    copy = sentence.copy()
    for word in copy.words:
        for column, value in WRONG.items():
            setattr(word, column, value)
    return copy


@pytest.mark.parametrize("size", [0, 3])
def test_the_loss_is_the_weighted_cross_entropy_of_what_is_known(size: int) -> None:
    heads = ColumnHeads(HeadsConfig(size=size, weight=0.5), inputs=4, n_classes={"upos": 3, "lemma": 5})
    rows = torch.randn(5, 4)
    classes = {"upos": torch.tensor([-1, 0, 2, -1, 1]), "lemma": torch.tensor([-1, -1, 4, -1, 0])}
    logits = heads(rows)
    expected = sum(
        functional.cross_entropy(logits[column][row], classes[column][row])
        for column, known in (("upos", (1, 2, 4)), ("lemma", (2, 4)))
        for row in known
    )
    torch.testing.assert_close(heads.loss(rows, classes), 0.5 * expected)


def test_a_network_without_heads_has_no_weights_for_them() -> None:
    network = tiny_parser().network
    assert not network.heads
    assert not any(name.startswith("heads") for name in network.state_dict())


@pytest.mark.slow
def test_columns_and_trees_are_learned_together() -> None:
    sentences = short_ewt_sentences()
    parsed = joint_parser().parse([sentence.forms for sentence in sentences])
    assert [values(sentence) for sentence in parsed] == [values(sentence) for sentence in sentences]
    assert [sentence.heads for sentence in parsed] == [sentence.heads for sentence in sentences]


@pytest.mark.slow
def test_given_values_are_kept_and_have_no_influence() -> None:
    sentence = short_ewt_sentences()[10]
    [parsed] = joint_parser().parse([wrong(sentence)])
    assert values(parsed) == [list(WRONG.values())] * len(sentence)
    assert parsed.heads == sentence.heads


@pytest.mark.slow
def test_retagging_replaces_given_values() -> None:
    sentence = short_ewt_sentences()[10]
    given = wrong(sentence)
    [parsed] = joint_parser().parse([given], retag=True)
    assert values(parsed) == values(sentence)
    assert values(given) == [list(WRONG.values())] * len(sentence)


def test_what_is_missing_is_filled_in() -> None:
    sentence = short_ewt_sentences()[10]
    given = wrong(sentence)
    given.words[0].upos = given.words[0].lemma = given.words[0].feats = "_"
    [parsed] = joint_parser().parse([given])
    first, gold = parsed.words[0], sentence.words[0]
    assert (first.upos, first.lemma, first.xpos) == (gold.upos, gold.lemma, "X")
    assert first.feats == "_", "other words have features, so this one was meant to have none"


@pytest.mark.slow
def test_the_network_comes_before_the_text_model(text_model: TextModel) -> None:
    parser = overfit(
        COMBINATIONS[1], short_ewt_sentences(), {"embeddings": {"tag": "none"}, "heads": {"upos": True}}, most_steps=60
    )
    with_text_model = torch_parser(parser.config, parser.vocabularies, parser.network, text_model)
    sentence = short_ewt_sentences()[10]
    for given in (sentence.forms, wrong(sentence)):
        [parsed] = with_text_model.parse([given], retag=True)
        [alone] = parser.parse([sentence.forms])
        assert [word.upos for word in parsed.words] == [word.upos for word in alone.words]
        assert all(word.lemma not in ("_", "X") for word in parsed.words)


def test_a_trace_shows_the_predicted_tags() -> None:
    sentence = short_ewt_sentences()[10]
    assert joint_parser().trace(sentence.forms).upos == ["_", *(word.upos for word in sentence.words)]


def test_tagging_without_parsing() -> None:
    sentence = short_ewt_sentences()[10]
    given = wrong(sentence)
    for _pause in joint_parser().tag_steps([given]):
        pass
    assert values(given) == values(sentence)
    assert given.heads == sentence.heads


@pytest.mark.parametrize("beam", [1, 3])
def test_the_rest_of_a_batch_changes_nothing(beam: int) -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], HEADS))
    sentences = [["ta", "tok"], ["rosa"] * 7, ["a", "zu", "mimimi", "o"]]
    together = parser.parse(sentences, beam=beam)
    alone = [parser.parse([sentence], beam=beam)[0] for sentence in sentences]
    assert [values(sentence) for sentence in together] == [values(sentence) for sentence in alone]
    assert all("_" not in row[:2] + row[3:] for sentence in together for row in values(sentence))
