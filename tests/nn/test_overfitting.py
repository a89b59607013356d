"""Every kind of parser can learn twenty sentences by heart."""

from __future__ import annotations

import pytest

from ..helpers import COMBINATIONS, Combination, describe, overfit, short_ewt_sentences


@pytest.mark.slow
@pytest.mark.parametrize("combination", COMBINATIONS, ids=describe)
def test_twenty_sentences_are_learned_to_100_las(combination: Combination) -> None:
    sentences = short_ewt_sentences()
    parser = overfit(combination, sentences, most_steps=200)
    for beam in (1, 4):
        parsed = parser.parse(sentences, beam=beam)
        assert [sentence.heads for sentence in parsed] == [sentence.heads for sentence in sentences]
        assert [sentence.deprels for sentence in parsed] == [sentence.deprels for sentence in sentences]
