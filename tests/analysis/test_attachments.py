"""Gold and system trees side by side."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pointree.analysis.attachments import crossing_arcs, read_attachments
from pointree.errors import InputError
from pointree.transitions import is_projective
from pointree.treebank.sentence import Sentence


def sentence(heads: list[int | None], deprels: str, forms: str = "abcdefgh") -> Sentence:
    return Sentence.from_words(list(forms[: len(heads)]), head=heads, deprel=deprels.split())


GOLD = [sentence([2, 0, 2], "nsubj root obj:lvc"), sentence([0], "root")]


def test_right_heads_and_labels_are_found_without_subtypes() -> None:
    system = [sentence([3, 0, 2], "nsubj root obj"), sentence([0], "root")]
    found = read_attachments(GOLD, [system], ["s"])
    assert found.systems[0].right_heads.tolist() == [False, True, True, True]
    assert found.systems[0].right.tolist() == [False, True, True, True]
    assert found.gold.lengths.tolist() == [1, 0, 1, 0]
    assert found.positions.tolist() == [1, 2, 3, 1]
    assert found.sentence_lengths.tolist() == [3, 3, 3, 1]
    assert (found.n_words, found.n_sentences) == (4, 2)


def test_an_arc_crosses_where_it_spans_what_is_not_below_its_head() -> None:
    assert crossing_arcs([3, 0, 2]) == [True, False, False]  # 3 → 1 spans the root word
    assert crossing_arcs([2, 0, 2, 1]) == [False, False, False, True]
    assert crossing_arcs([2, 1, 0]) == [False, False, True], "what is in a cycle descends from nothing"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_tree_without_crossing_arcs_is_a_projective_tree(n: int) -> None:
    for heads in product(range(n + 1), repeat=n):
        reached = {0}
        for _ in range(n):
            reached |= {word for word, head in enumerate(heads, 1) if head in reached}
        if len(reached) == n + 1:
            assert (not any(crossing_arcs(heads))) == is_projective(heads), heads


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (GOLD[:1], "s: expected the 2 sentences of g, found 1"),
        ([GOLD[1], GOLD[1]], "s: sentence 1: expected 3 words as in g, found 1"),
        ([sentence([2, 0, 2], "a b c", "axc"), GOLD[1]], "s: sentence 1: expected word 2 to be 'b' as in g, found 'x'"),
        ([sentence([2, None, 2], "a b c"), GOLD[1]], "s: sentence 1: word 2 has no HEAD, expected a complete tree"),
    ],
)
def test_files_that_do_not_match(system: list[Sentence], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_attachments(GOLD, [system], ["s"], "g")
    assert str(error.value) == message


def test_nothing_to_compare() -> None:
    with pytest.raises(InputError, match="gold: no sentences found"):
        read_attachments([], [[]], ["s"])


def test_arrays_are_numbers() -> None:
    found = read_attachments(GOLD, [GOLD], ["s"])
    assert found.gold.heads.dtype == np.int64
    assert found.gold.crossing.dtype == np.bool_
