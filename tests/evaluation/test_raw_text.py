from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import InputError
from pointree.evaluation.raw_text import raw_text
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, Token


def sentence(text: str, *comments: str, space: bool = True) -> Sentence:
    found = Sentence.from_words(text.split())
    found.comments = [*comments, f"# text = {text}"]
    found.words[-1].misc = "_" if space else "SpaceAfter=No"
    return found


def test_sentences_are_joined_as_space_after_says() -> None:
    assert raw_text([sentence("a b ."), sentence("( c )", space=False), sentence("d")]) == "a b . ( c )d"


@pytest.mark.parametrize("comment", ["# newpar", "# newpar id = p2", "#newdoc", "# newdoc id = d"])
def test_paragraphs_and_documents_start_after_a_blank_line(comment: str) -> None:
    assert raw_text([sentence("a", comment), sentence("b", comment), sentence("c")]) == "a\n\nb c"
    assert raw_text([sentence("a", space=False), sentence("b", comment)]) == "a\n\nb"


def test_other_comments_start_nothing() -> None:
    assert raw_text([sentence("a"), sentence("b", "# newparty = x", "# note = # newpar")]) == "a b"


def test_the_multiword_token_at_the_end_says_whether_a_space_follows() -> None:
    rows = [Token("1-2", "vámonos", misc="SpaceAfter=No"), Token("1", "vamos"), Token("2", "nos"), Token("2.1", "x")]
    first = Sentence(rows, ["# text = vámonos"])
    assert raw_text([first, sentence("b")]) == "vámonosb"


def test_a_sentence_without_text_is_named() -> None:
    bare = Sentence.from_words(["b"])
    bare.comments = ["# sent_id = s2"]
    with pytest.raises(InputError) as caught:
        raw_text([sentence("a"), bare], "gold.conllu")
    expected = "gold.conllu: sentence 2 (s2): expected a comment `# text = …` with the raw text, found none"
    assert str(caught.value) == expected


def test_nothing_but_white_space_differs_from_the_words(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    words = "".join(word.form for each in sentences for word in each.words)
    assert "".join(raw_text(sentences).split()) == words
