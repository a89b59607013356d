"""The best class of every word, and how probable it is."""

from __future__ import annotations

import torch

from pointree.search.columns import best_columns

from ..helpers import COMBINATIONS, HEADS, by_falling_length, make_batch, random_sentences, tiny_config, tiny_parser


def test_classes_and_probabilities_are_those_of_the_rows() -> None:
    parser = tiny_parser(tiny_config(COMBINATIONS[1], HEADS))
    sentences = by_falling_length(random_sentences([3, 6, 1]))
    with torch.inference_mode():
        [encoding] = parser.network.encode(make_batch(parser, sentences)).values()
    found = best_columns(parser.engine.encode(make_batch(parser, sentences)), probabilities=True)
    without = best_columns(parser.engine.encode(make_batch(parser, sentences)))
    assert [each.numbers for each in without] == [each.numbers for each in found]
    for row, (sentence, predicted) in enumerate(zip(sentences, found, strict=True)):
        for column, logits in encoding.columns.items():
            own = encoding.positions.pad(logits)[row, 1 : len(sentence) + 1].softmax(dim=1)
            assert predicted.numbers[column] == own.argmax(dim=1).tolist()
            torch.testing.assert_close(torch.tensor(predicted.probs[column]), own.amax(dim=1))


def test_a_network_without_heads_predicts_nothing() -> None:
    parser = tiny_parser()
    [found] = best_columns(parser.engine.encode(make_batch(parser, random_sentences([2]))), probabilities=True)
    assert found.numbers == found.probs == {}
