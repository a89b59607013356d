"""Synthetic sentences: English-like lengths, real trees, the same each time."""

from __future__ import annotations

from pointree.bench.synthetic import english_like_lengths, random_sentences

from ..helpers import is_tree


def test_lengths_are_like_those_of_english() -> None:
    lengths = english_like_lengths(5000)
    assert lengths == english_like_lengths(5000)
    assert 14 < sum(lengths) / len(lengths) < 18
    assert min(lengths) >= 1
    assert 60 < max(lengths) <= 120


def test_sentences_have_trees_and_can_be_made_again() -> None:
    lengths = [1, 2, 17, 80]
    sentences = random_sentences(lengths, seed=3)
    assert [len(sentence) for sentence in sentences] == lengths
    assert all(is_tree(sentence.heads) for sentence in sentences)
    assert sentences == random_sentences(lengths, seed=3)
    assert sentences != random_sentences(lengths, seed=4)
