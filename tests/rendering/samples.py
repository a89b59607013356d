"""Sentences that the tests of all formats draw, and strategies for any sentence."""

from __future__ import annotations

from hypothesis import strategies as st

from pointree.treebank.sentence import Sentence, Token

JOHN = Sentence.from_words(
    ["John", "and", "Mary", "play", "tennis", "together"],
    lemma=["John", "and", "Mary", "play", "tennis", "together"],
    upos=["PROPN", "CCONJ", "PROPN", "VERB", "NOUN", "ADV"],
    head=[4, 3, 1, 0, 4, 4],
    deprel=["nsubj", "cc", "conj", "root", "obj", "advmod"],
)
"""The example of the paper."""

HEARING = Sentence.from_words(
    ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today"],
    upos=["DET", "NOUN", "AUX", "VERB", "ADP", "DET", "NOUN", "NOUN"],
    head=[2, 4, 4, 0, 7, 7, 2, 4],
    deprel=["det", "nsubj:pass", "aux:pass", "root", "case", "det", "nmod", "obl:tmod"],
)
"""A tree with crossing arcs."""

HEBREW = Sentence.from_words(
    ["הילד", "קרא", "את", "הספר", "ב-2020", "!"],
    upos=["NOUN", "VERB", "ADP", "NOUN", "NUM", "PUNCT"],
    head=[2, 0, 4, 2, 2, 2],
    deprel=["nsubj", "root", "case", "obj", "obl", "punct"],
)

CHINESE = Sentence.from_words(
    ["隨後", "愛斯基摩", "人", "定居", "於", "此", "。"],
    upos=["ADV", "PROPN", "PART", "VERB", "ADP", "PRON", "PUNCT"],
    head=[4, 3, 4, 0, 6, 4, 4],
    deprel=["advmod", "compound", "nsubj", "root", "case", "obl", "punct"],
)

ODD = Sentence.from_words(
    [
        "I",
        "❤️",
        "👨‍👩‍👧",
        "👍🏽",
        "e\u0301te\u0301",
        "\x1b[31mred",
        "\u0301",
        "a<b>&'\"",
        "\\&%$#_{}~^[|",
        "w" * 60,
    ],
    upos=["X"] * 10,
    head=[2, 0, 2, 3, 4, 2, 6, 9, 2, 2],
    deprel=["root" if word == 2 else "dep" for word in range(1, 11)],
)
"""Emoji, marks, control characters, and the special characters of XML and TeX."""

DEEP = Sentence.from_words([f"w{i}" for i in range(1, 26)], head=[*range(2, 26), 0])
"""A chain that is too deep to be drawn in one piece."""

RICH = Sentence(
    [
        Token("1-2", "Don't"),
        Token(
            "1",
            "Do",
            "do",
            "AUX",
            "VB",
            "Mood=Imp|VerbForm=Fin",
            3,
            "aux",
            "3:aux",
            "HeadProb=0.98|DeprelProb=0.5",
        ),
        Token(
            "2",
            "n't",
            "not",
            "PART",
            "RB",
            "_",
            3,
            "advmod",
            "3:advmod",
            "Gloss=not|Bare|Gloss=no|HeadProb=high",
        ),
        Token("3", "_", "_", "VERB", "VB", "_", 0, "root", "0:root", "_"),
        Token("3.1", "it", "it", "PRON", "PRP", "_", None, "_", "3:obj|2.1:dep:sub", "CopyOf=-1"),
    ],
    ["# sent_id = s-1", "# text = Don't _"],
)
"""A sentence with everything that CoNLL-U has: a range, an empty node, DEPS, MISC and comments."""

SAMPLES = {
    "john": JOHN,
    "hearing": HEARING,
    "hebrew": HEBREW,
    "chinese": CHINESE,
    "odd": ODD,
    "deep": DEEP,
    "rich": RICH,
}

texts = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"])
    | st.sampled_from("abשلमि中한\u1161👍🏽\u200d\ufe0f\u0301\x1b\u202e\u2066\u2028\ufffe\\&%$#_{}~^<>[|]'\"`-"),
    min_size=1,
    max_size=12,
)


@st.composite
def trees(draw: st.DrawFn, max_words: int = 25) -> list[int]:
    """Draw any tree, with any number of roots: words join in random order, each under an earlier one."""
    n = draw(st.integers(1, max_words))
    joined = [0]
    heads = [0] * n
    for word in draw(st.permutations(range(1, n + 1))):
        heads[word - 1] = draw(st.sampled_from(joined))
        joined.append(word)
    return heads


graphs = st.lists(st.none() | st.integers(0, 12), max_size=10)
"""Heads that need not make a tree: missing, outside the sentence, or in cycles."""


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """Draw a sentence with any text in its columns and any heads."""
    heads: list[int | None] = draw(trees() | graphs)
    columns = [draw(st.lists(texts, min_size=len(heads), max_size=len(heads))) for _ in range(3)]
    return Sentence.from_words(columns[0], upos=columns[1], deprel=columns[2], head=heads)
