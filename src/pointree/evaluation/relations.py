"""Which labels, features and tags count for which score."""

from __future__ import annotations

from functools import lru_cache

from pointree.treebank.sentence import Token

__all__ = ["is_content", "is_functional", "is_punctuation", "universal_deprel", "universal_feats"]

# The relations of Universal Dependencies v2, less the function words and punctuation that CLAS leaves out.
_CONTENT = frozenset(
    [
        "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
        "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod", "nsubj",
        "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative", "xcomp",
    ]
)  # fmt: skip

# The function words whose labels, tags and features MLAS compares along with those of their content word.
_FUNCTIONAL = frozenset(["aux", "case", "cc", "clf", "cop", "det", "mark"])

# The inventory that the shared task of 2018 scored; features added to the guidelines since are not compared.
_FEATURES = frozenset(
    [
        "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
        "Mood", "NumType", "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
        "Tense", "VerbForm", "Voice",
    ]
)  # fmt: skip

_UPOS = frozenset(
    [
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X",
    ]
)  # fmt: skip

# What results on the Penn treebanks leave out: quotes, colon, comma and full stop of English, PU of Chinese.
_PENN_PUNCTUATION = frozenset(["``", "''", ":", ",", ".", "PU"])


def universal_deprel(deprel: str) -> str:
    """Return a label without its subtype: `nsubj` for `nsubj:pass`."""
    return deprel.partition(":")[0]


def is_content(universal: str) -> bool:
    """Tell whether CLAS, MLAS and BLEX count words with this universal label."""
    return universal in _CONTENT


def is_functional(universal: str) -> bool:
    """Tell whether MLAS compares words with this universal label along with their head."""
    return universal in _FUNCTIONAL


@lru_cache(maxsize=65536)
def universal_feats(feats: str) -> str:
    """Return the universal features of a FEATS column, sorted."""
    return "|".join(sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in _FEATURES))


def is_punctuation(word: Token) -> bool:
    """Tell whether a gold word is punctuation, by the best evidence that its file has.

    A universal tag decides alone. Other files have the tags of the Penn treebanks in XPOS or, as CoNLL-X, in
    both columns. Where there are no tags, the label `punct` does.
    """
    if word.upos in _UPOS:
        return word.upos == "PUNCT"
    tag = word.upos if word.xpos == "_" else word.xpos
    if tag == "_":
        return universal_deprel(word.deprel) == "punct"
    return tag in _PENN_PUNCTUATION
