"""Whatever the weights and whatever the sentence, the search returns legal trees with proper probabilities."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pointree.options import ParseOptions
from pointree.parser import Parser
from pointree.search import ParseTree
from pointree.transitions import is_projective
from pointree.treebank.sentence import Sentence

from ..helpers import (
    COMBINATIONS,
    TAGS,
    WORDS,
    is_tree,
    random_sentences,
    tiny_config,
    tiny_parser,
    tiny_vocabularies,
)

ROOT_LABEL = tiny_vocabularies().deprels.lookup("root")

SCALES = [0.0, 1e-30, 0.1, 1.0, 30.0, 1e4, 1e30, 3e38]
ODD_VALUES = [float("nan"), float("inf"), float("-inf"), 3e38, -1e30, 0.0]

at_leisure = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
"""A network is made for every example, which takes its time on a busy machine."""

forms = st.sampled_from(WORDS) | st.text(st.characters(exclude_characters="\t\r\n"), min_size=1, max_size=8)


@st.composite
def sentences(draw: st.DrawFn, max_words: int = 40) -> Sentence:
    """Any words, some of them known."""
    n = draw(st.sampled_from([1, 2]) | st.integers(1, max_words))
    few = draw(st.lists(forms, min_size=1, max_size=6))
    tags = draw(st.lists(st.sampled_from([*TAGS, "X", "_"]), min_size=1, max_size=3))
    return Sentence.from_words(
        [few[place % len(few)] for place in range(n)], upos=[tags[place % len(tags)] for place in range(n)]
    )


@st.composite
def parsers(draw: st.DrawFn) -> Parser:
    """Any network: each parameter of any size, with values in it that are no numbers."""
    parser = tiny_parser(tiny_config(draw(st.sampled_from(COMBINATIONS))), seed=draw(st.integers(0, 99)))
    everywhere = draw(st.none() | st.sampled_from(SCALES))
    with torch.no_grad():
        parameters = dict(parser.network.named_parameters())
        for parameter in parameters.values():
            parameter *= 1.0 if everywhere is None else everywhere
        for name in draw(st.lists(st.sampled_from(sorted(parameters)), max_size=4)):
            parameters[name].mul_(draw(st.sampled_from(SCALES)))
        for name in draw(st.lists(st.sampled_from(sorted(parameters)), max_size=4)):
            place = draw(st.integers(0, parameters[name].numel() - 1))
            parameters[name].view(-1)[place] = draw(st.sampled_from(ODD_VALUES))
    return parser


@st.composite
def searches(draw: st.DrawFn) -> ParseOptions:
    """Any options."""
    beam = draw(st.sampled_from([1, 1, 2, 5]))
    return ParseOptions(
        beam=beam, n_best=draw(st.integers(1, beam)), single_root=draw(st.booleans()), projective=draw(st.booleans())
    )


def assert_legal(parser: Parser, sentence: Sentence, found: list[ParseTree], options: ParseOptions) -> None:
    assert 1 <= len(found) <= options.n_best
    for tree in found:
        assert len(tree.heads) == len(tree.labels) == len(sentence)
        assert is_tree(tree.heads, single_root=options.single_root)
        assert is_projective(tree.heads) or not options.projective
        assert all((label == ROOT_LABEL) == (head == 0) for head, label in zip(tree.heads, tree.labels, strict=True))
        assert all(0.0 <= probability <= 1.0 + 1e-6 for probability in (*tree.head_probs, *tree.label_probs))
        assert math.isfinite(tree.log_prob)
        if all((*tree.head_probs, *tree.label_probs)):
            total = sum(map(math.log, tree.head_probs)) + sum(map(math.log, tree.label_probs))
            if parser.config.decoder.order == "top-down":  # a tree also has the steps that end a word's dependents
                assert tree.log_prob <= total + 1e-3 * (1 + abs(total))
            else:
                assert tree.log_prob == pytest.approx(total, rel=1e-3, abs=1e-3)
    assert len({tuple(tree.heads) for tree in found}) == len(found)
    scores = [tree.log_prob for tree in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.slow
@settings(**at_leisure, max_examples=100)
@given(parsers(), st.lists(sentences(), min_size=1, max_size=4), searches())
def test_any_weights_and_any_sentences_give_legal_trees(
    parser: Parser, given_sentences: list[Sentence], options: ParseOptions
) -> None:
    for sentence, found in zip(given_sentences, parser.trees(given_sentences, options), strict=True):
        assert_legal(parser, sentence, found, options)


@pytest.mark.slow
@settings(**at_leisure, max_examples=50)
@given(parsers(), sentences(max_words=3), st.booleans())
def test_as_many_trees_come_back_as_there_are(parser: Parser, sentence: Sentence, single_root: bool) -> None:
    n = len(sentence)
    all_trees = n ** (n - 1) if single_root else (n + 1) ** (n - 1)
    for n_best in (2, 30):
        options = ParseOptions(beam=n_best, n_best=n_best, single_root=single_root)
        (found,) = parser.trees([sentence], options)
        assert_legal(parser, sentence, found, options)
        assert len(found) == min(n_best, all_trees)


@pytest.mark.slow
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("combination", [COMBINATIONS[1], COMBINATIONS[7], COMBINATIONS[13]], ids=str)
def test_500_words_give_a_legal_tree(combination: tuple[str, str, str], projective: bool) -> None:
    parser = tiny_parser(tiny_config(combination), scale=4.0)
    given_sentences = random_sentences([500, 1], seed=31)
    options = ParseOptions(beam=2, projective=projective)
    for sentence, found in zip(given_sentences, parser.trees(given_sentences, options), strict=True):
        assert_legal(parser, sentence, found, options)


@pytest.mark.parametrize("value", [0.0, 1e30, -1e30, float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_all_the_same_give_legal_trees(value: float) -> None:
    parser = tiny_parser()
    with torch.no_grad():
        for parameter in parser.network.parameters():
            parameter.fill_(value)
    given_sentences = random_sentences([1, 2, 3, 17, 40], seed=32)
    for beam in (1, 3):
        for projective in (False, True):
            options = ParseOptions(beam=beam, n_best=beam, projective=projective)
            for sentence, found in zip(given_sentences, parser.trees(given_sentences, options), strict=True):
                assert_legal(parser, sentence, found, options)
