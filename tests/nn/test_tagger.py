"""Tags that the network predicts itself: learned with the parser, written where there are none."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch.nn import functional

from pointree.nn.tagger import Tagger
from pointree.parser import Parser
from pointree.text.udpipe import TextModel
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import ROOT

from ..helpers import COMBINATIONS, overfit, short_ewt_sentences, tiny_config, tiny_parser

JOINT = {"embeddings": {"tag": "joint"}}


@cache
def joint_parser() -> Parser:
    """A parser that knows the tags and trees of a few sentences by heart."""
    return overfit(COMBINATIONS[1], short_ewt_sentences(), JOINT, most_steps=200)


def upos(sentence: Sentence) -> list[str]:
    return [word.upos for word in sentence.words]


def test_the_loss_is_the_cross_entropy_of_the_words_without_root() -> None:
    tagger = Tagger(inputs=4, n_tags=7)
    states, tags = torch.randn(5, 4), torch.tensor([ROOT, 3, 6, ROOT, 4])
    logits = states @ tagger.projection.weight + tagger.projection.bias
    expected = sum(functional.cross_entropy(logits[row], tags[row]) for row in (1, 2, 4))
    torch.testing.assert_close(tagger.loss(states, tags), expected)


def test_specials_are_never_predicted() -> None:
    tagger = Tagger(inputs=4, n_tags=5)
    with torch.no_grad():
        tagger.projection.bias.copy_(torch.tensor([9.0, 9.0, 9.0, 0.0, 0.0]))
    assert set(tagger.best(torch.randn(50, 4)).tolist()) == {3, 4}


@pytest.mark.slow
def test_tags_and_trees_are_learned_together() -> None:
    sentences = short_ewt_sentences()
    parsed = joint_parser().parse([sentence.forms for sentence in sentences])
    assert [upos(sentence) for sentence in parsed] == [upos(sentence) for sentence in sentences]
    assert [sentence.heads for sentence in parsed] == [sentence.heads for sentence in sentences]


def test_given_tags_are_kept_and_have_no_influence() -> None:
    sentence = short_ewt_sentences()[10]
    wrong = sentence.copy()
    for word in wrong.words:
        word.upos = "X"
    [parsed] = joint_parser().parse([wrong])
    assert upos(parsed) == ["X"] * len(sentence)
    assert parsed.heads == sentence.heads


def test_retagging_replaces_given_tags() -> None:
    sentence = short_ewt_sentences()[10]
    wrong = sentence.copy()
    for word in wrong.words:
        word.upos = "X"
    [parsed] = joint_parser().parse([wrong], retag=True)
    assert upos(parsed) == upos(sentence)
    assert upos(wrong) == ["X"] * len(sentence)


def test_the_network_tags_before_the_text_model(text_model: TextModel) -> None:
    parser = joint_parser()
    with_text_model = Parser(parser.config, parser.vocabularies, parser.network, text_model)
    sentence = short_ewt_sentences()[10]
    [parsed] = with_text_model.parse([sentence.forms])
    assert upos(parsed) == upos(sentence)
    assert any(word.lemma != "_" for word in parsed.words)


def test_a_trace_shows_the_predicted_tags() -> None:
    sentence = short_ewt_sentences()[10]
    assert joint_parser().trace(sentence.forms).upos == ["_", *upos(sentence)]


@pytest.mark.parametrize("beam", [1, 3])
def test_the_rest_of_a_batch_changes_no_tag(beam: int) -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], JOINT))
    sentences = [["ta", "tok"], ["rosa"] * 7, ["a", "zu", "mimimi", "o"]]
    together = parser.parse(sentences, beam=beam)
    alone = [parser.parse([sentence], beam=beam)[0] for sentence in sentences]
    assert [upos(sentence) for sentence in together] == [upos(sentence) for sentence in alone]
