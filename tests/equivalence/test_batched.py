"""A sentence gets the same tree whatever else is in its batch."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search import ParseTree
from pointree.treebank.sentence import Sentence

from ..helpers import (
    COMBINATIONS,
    Combination,
    describe,
    ewt_sentences,
    random_sentences,
    tiny_config,
    tiny_parser,
    trained_parser,
)

every_combination = pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)

LENGTHS = [5, 1, 12, 2, 2, 9, 1, 7, 12, 3]


def assert_same(found: list[ParseTree], expected: list[ParseTree]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.heads == other.heads
        assert one.labels == other.labels
        assert one.head_probs == pytest.approx(other.head_probs, abs=1e-4)
        assert one.label_probs == pytest.approx(other.label_probs, abs=1e-4)
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)


def one_by_one(parser: Parser, sentences: list[Sentence], options: ParseOptions) -> list[list[ParseTree]]:
    return [parser.trees([sentence], options)[0] for sentence in sentences]


@pytest.mark.parametrize("beam", [1, 4])
@every_combination
def test_batched_is_one_sentence_at_a_time(combination: Combination, beam: int) -> None:
    parser = tiny_parser(tiny_config(combination), seed=7)
    sentences = random_sentences(LENGTHS, seed=8)
    options = ParseOptions(beam=beam, n_best=beam, projective=combination[2] == "gate2")
    single = one_by_one(parser, sentences, options)
    for found, expected in zip(parser.trees(sentences, options), single, strict=True):
        assert_same(found, expected)
    shuffled = Random(9).sample(range(len(sentences)), len(sentences))
    in_twos = parser.trees([sentences[number] for number in shuffled], replace(options, batch_words=14))
    for number, found in zip(shuffled, in_twos, strict=True):
        assert_same(found, single[number])


@pytest.mark.parametrize("beam", [1, 5])
def test_a_neighbour_of_any_length_changes_nothing(beam: int) -> None:
    parser = tiny_parser(seed=10)
    options = ParseOptions(beam=beam, n_best=beam)
    (sentence,) = random_sentences([6], seed=11)
    (alone,) = parser.trees([sentence], options)
    for length in (1, 2, 5, 6, 7, 40):
        (neighbour,) = random_sentences([length], seed=12)
        assert_same(parser.trees([neighbour, sentence], options)[1], alone)
        assert_same(parser.trees([sentence, neighbour, sentence], options)[2], alone)


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 10])
def test_real_sentences_are_parsed_alike_in_batches_of_any_size(beam: int) -> None:
    sentences = ewt_sentences()[:24]
    parser = trained_parser()
    options = ParseOptions(beam=beam)
    expected = one_by_one(parser, sentences, options)
    for batch_words in (30, 10_000):
        for found, single in zip(
            parser.trees(sentences, replace(options, batch_words=batch_words)), expected, strict=True
        ):
            assert_same(found, single)
