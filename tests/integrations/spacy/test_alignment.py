"""Any tokenisation of a text: the tokens of each sentence form one tree, whatever the words and their tree are."""

from __future__ import annotations

from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointree.integrations.spacy.alignment import Passage, Surface, find_surfaces, plan_passages, token_arcs
from pointree.treebank.sentence import Sentence, Token

TEXTS = st.text("ab. \t\n\u200b\u0301é👩\x00", max_size=30)


def cut(text: str, places: set[int]) -> list[tuple[int, int]]:
    """The pieces of a text between some places."""
    ends = sorted({0, len(text)} | {place for place in places if place < len(text)})
    return list(pairwise(ends))


def spans(text: str) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.sets(st.integers(0, max(len(text), 1))).map(lambda places: cut(text, places))


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], list[Surface], list[bool] | None]:
    text = draw(TEXTS)
    tokens = draw(spans(text))
    surfaces, sentence = [], 0
    for start, end in draw(spans(text)):
        if text[start:end].isspace() or draw(st.booleans()):
            continue
        sentence += draw(st.booleans())
        surfaces.append(Surface(start, end, ["w"] * draw(st.integers(1, 3)), sentence))
    starts = draw(st.none() | st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens)))
    return text, tokens, surfaces, starts


@st.composite
def trees(draw: st.DrawFn, n: int) -> list[int]:
    """Heads of a random tree, single root or not."""
    order = draw(st.permutations(range(1, n + 1)))
    return [
        head
        for _, head in sorted((word, draw(st.sampled_from([0, *order[:place]]))) for place, word in enumerate(order))
    ]


@settings(max_examples=60)
@given(st.data(), cases(), st.booleans())
def test_tokens_form_one_tree_a_sentence(
    data: st.DataObject, case: tuple[str, list[tuple[int, int]], list[Surface], list[bool] | None], split: bool
) -> None:
    text, tokens, surfaces, starts = case
    passages = plan_passages(text, tokens, surfaces, starts, split=split)
    covered = [token for passage in passages for token in range(passage.first, passage.last)]
    assert covered == list(range(len(tokens)))
    for passage in passages:
        n = len(passage.sentence.words)
        assert n == len(passage.owners)
        assert all(not word.form.isspace() for word in passage.sentence.words)
        assert sorted(passage.owners) == passage.owners
        arcs = token_arcs(passage, data.draw(trees(n)))
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(passage.first, passage.last))
        graph.add_edges_from((arc.head, token) for token, arc in enumerate(arcs, passage.first) if arc.head != token)
        assert set(graph) == set(range(passage.first, passage.last))
        assert networkx.is_arborescence(graph)
        for token, arc in enumerate(arcs, passage.first):
            assert (arc.word is None) == (token not in passage.owners)
            assert arc.word is None or passage.owners[arc.word] == token


def test_a_multiword_token_takes_the_place_of_its_highest_word() -> None:
    # "Vengo del mar": "de" and "el" hang on "mar"
    sentence = Sentence(
        [
            Token("1", "Vengo", start=0, end=5),
            Token("2-3", "del", start=6, end=9),
            Token("2", "de", start=6, end=9),
            Token("3", "el", start=6, end=9),
            Token("4", "mar", start=10, end=13),
        ]
    )
    [passage] = plan_passages("Vengo del mar", [(0, 5), (6, 9), (10, 13)], list(find_surfaces([sentence])))
    assert passage.sentence.forms == ["Vengo", "de", "el", "mar"]
    assert passage.sentence.text == "Vengo del mar"
    assert passage.owners == [0, 1, 1, 2]
    arcs = token_arcs(passage, [0, 4, 4, 1])
    assert [(arc.head, arc.word) for arc in arcs] == [(0, 0), (2, 1), (0, 3)]


def test_the_highest_word_breaks_what_would_be_a_cycle() -> None:
    passage = Passage(0, 2, Sentence.from_words(["a", "b", "c"]), [0, 0, 1])
    assert [arc.head for arc in token_arcs(passage, [3, 0, 2])] == [0, 0]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([(0, 4), (5, 10)], ["They", "play", "."]),
        ([(0, 2), (2, 4), (4, 5), (5, 9), (9, 10)], ["Th", "ey", "play", "."]),
        ([(0, 7), (7, 10)], ["They pl", "ay."]),
    ],
)
def test_words_inside_of_tokens_and_tokens_inside_of_words(tokens: list[tuple[int, int]], expected: list[str]) -> None:
    surfaces = [Surface(0, 4, ["They"]), Surface(5, 9, ["play"]), Surface(9, 10, ["."])]
    [passage] = plan_passages("They play.", tokens, surfaces, split=True)
    assert passage.sentence.forms == expected


def test_a_sentence_of_the_segmenter_begins_with_a_token() -> None:
    surfaces = [Surface(0, 2, ["A."], 0), Surface(3, 5, ["B."], 1), Surface(6, 8, ["C."], 2)]
    passages = plan_passages("A. B. C.", [(0, 4), (4, 5), (5, 6), (6, 8)], surfaces)
    assert [(passage.first, passage.last) for passage in passages] == [(0, 1), (1, 3), (3, 4)]
