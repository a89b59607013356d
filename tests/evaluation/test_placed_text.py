from __future__ import annotations

from pointree.evaluation.placed_text import PlacedText, surface_forms
from pointree.treebank.sentence import Sentence, Token

# "Vámonos al mar 10 000", with an empty node.
SENTENCE = Sentence(
    [
        Token("1-2", "Vámonos"),
        Token("1", "Vamos", head=0),
        Token("2", "nos", head=1),
        Token("2.1", "ellipsis"),
        Token("3-4", "al"),
        Token("3", "a", head=5),
        Token("4", "el", head=5),
        Token("5", "mar", head=1),
        Token("6", "10\u00a0000", head=5),
    ]
)


def test_surface_forms_are_those_of_tokens_without_spaces() -> None:
    assert surface_forms(SENTENCE) == ["Vámonos", "al", "mar", "10000"]


def test_words_of_a_multiword_token_share_its_span() -> None:
    placed = PlacedText.of([SENTENCE])
    assert placed.tokens == [(0, 7), (7, 9), (9, 12), (12, 17)]
    assert [word.span for word in placed.words] == [(0, 7), (0, 7), (7, 9), (7, 9), (9, 12), (12, 17)]
    assert [word.in_range for word in placed.words] == [True] * 4 + [False] * 2


def test_places_and_heads_go_on_over_sentences() -> None:
    placed = PlacedText.of([SENTENCE, Sentence.from_words(["a", "bc"], head=[2, 0])])
    assert placed.sentences == [(0, 17), (17, 20)]
    assert placed.tokens[4:] == [(17, 18), (18, 20)]
    assert [word.head for word in placed.words] == [-1, 0, 4, 4, 0, 4, 7, -1]
