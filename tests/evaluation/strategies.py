"""Pairs of files over the same characters that differ in everything else, made by Hypothesis.

Texts have three letters only, so that tokens, multiword tokens and forms overlap and repeat as in no treebank.
"""

from __future__ import annotations

from hypothesis import strategies as st

from pointree.treebank.sentence import Sentence, Token

LETTERS = "abB"
DEPRELS = ["root", "nsubj", "nsubj:pass", "obj", "case", "aux", "aux:pass", "det", "punct", "local"]
UPOS = ["NOUN", "VERB", "PUNCT", "_"]
FEATS = ["_", "Case=Nom", "Typo=Yes|Case=Nom", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing"]
LEMMAS = ["_", "a", "b"]


@st.composite
def pairs_of_files(draw: st.DrawFn) -> tuple[list[Sentence], list[Sentence]]:
    """Gold and system sentences of the same text."""
    text = draw(st.text(LETTERS, min_size=1, max_size=16))
    return draw(files(text)), draw(files(text))


@st.composite
def files(draw: st.DrawFn, text: str) -> list[Sentence]:
    """Sentences over these characters: single-rooted trees with tags, multiword tokens and empty nodes."""
    tokens = draw(pieces(text, most=5))
    ends = {index for index in range(1, len(tokens)) if draw(st.integers(0, 3)) == 0} | {len(tokens)}
    sentences = []
    start = 0
    for end in sorted(ends):
        sentences.append(draw(trees(tokens[start:end])))
        start = end
    return sentences


@st.composite
def pieces(draw: st.DrawFn, text: str, most: int) -> list[str]:
    """Cut characters into parts that are not empty."""
    found = []
    while text:
        length = draw(st.integers(1, min(most, len(text))))
        found.append(text[:length])
        text = text[length:]
    return found


@st.composite
def trees(draw: st.DrawFn, tokens: list[str]) -> Sentence:
    """A sentence of these tokens, some of them with words of their own, and a random tree."""
    rows: list[Token] = []
    words: list[Token] = []
    for form in tokens:
        forms = draw(st.just([form]) | st.lists(st.text(LETTERS, min_size=1, max_size=2), min_size=1, max_size=4))
        if forms != [form]:
            rows.append(Token(f"{len(words) + 1}-{len(words) + len(forms)}", form))
        for word in forms:
            words.append(Token(str(len(words) + 1), word))
            rows.append(words[-1])
        if draw(st.integers(0, 9)) == 0:
            rows.append(Token(f"{len(words)}.1", "empty"))
    joining = draw(st.permutations(range(1, len(words) + 1)))
    for place, number in enumerate(joining):
        word = words[number - 1]
        word.head = draw(st.sampled_from(joining[:place])) if place else 0
        word.deprel = draw(st.sampled_from(DEPRELS))
        word.upos, word.xpos = draw(st.sampled_from(UPOS)), draw(st.sampled_from(UPOS))
        word.feats, word.lemma = draw(st.sampled_from(FEATS)), draw(st.sampled_from(LEMMAS))
    return Sentence(rows)
