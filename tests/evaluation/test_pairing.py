from __future__ import annotations

from collections.abc import Iterator

import pytest

from pointree.errors import InputError
from pointree.evaluation.pairing import paired_passages
from pointree.treebank.sentence import Sentence


def sentences(*texts: str) -> Iterator[Sentence]:
    for number, text in enumerate(texts, start=1):
        forms = text.split()
        sentence = Sentence.from_words(forms, head=[0] * len(forms))
        sentence.comments.append(f"# sent_id = s{number}")
        yield sentence


def passages(gold: Iterator[Sentence], system: Iterator[Sentence]) -> list[tuple[int, int]]:
    return [(len(left), len(right)) for left, right in paired_passages(gold, system)]


def test_the_same_sentences_pair_one_by_one() -> None:
    assert passages(sentences("a b", "c", "d"), sentences("a b", "c", "d")) == [(1, 1)] * 3


def test_no_sentences() -> None:
    assert passages(sentences(), sentences()) == []


def test_sentences_are_read_until_both_sides_end_together() -> None:
    assert passages(sentences("a b", "c d", "e"), sentences("a", "b c", "d", "e")) == [(2, 3), (1, 1)]
    assert passages(sentences("a b c d e"), sentences("a b", "c d", "e")) == [(1, 3)]


def test_a_passage_goes_on_while_the_last_tokens_differ() -> None:
    assert passages(sentences("a bc", "d", "e"), sentences("a b c", "d", "e")) == [(2, 2), (1, 1)]
    assert passages(sentences("a bc"), sentences("a b c")) == [(1, 1)]


def test_reading_is_lazy() -> None:
    gold = sentences("a", "b", "c")
    next(paired_passages(gold, sentences("a", "b", "c")))
    assert next(gold).forms == ["b"]


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            ["a b", "c they come"],
            ["a b", "c they came"],
            "gold sentence 2 (s2): character 7 differs, gold has 'ctheycome' and system sentence 2 (s2) has "
            "'ctheycame'",
        ),
        (
            ["a b", "c d"],
            ["a b c e"],
            "gold sentence 2 (s2): character 2 differs, gold has 'cd' and system sentence 1 (s1) has 'abce'",
        ),
        (
            ["a", "b"],
            ["a"],
            "system ends after 1 sentences, expected the characters 'b' of gold sentence 2 (s2)",
        ),
        (
            ["a"],
            ["a b"],
            "gold ends after 1 sentences, expected the characters 'ab' of system sentence 1 (s1)",
        ),
    ],
)
def test_texts_that_differ(gold: list[str], system: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        passages(sentences(*gold), sentences(*system))
    assert str(caught.value) == message


def test_words_without_a_head_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        passages(sentences("a b"), iter([Sentence.from_words(["a", "b"], head=[0, None])]))
    assert str(caught.value) == "system sentence 1: word 2 has no HEAD, expected a complete tree"
