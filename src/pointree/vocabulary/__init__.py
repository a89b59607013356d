"""Symbols to numbers, and word vectors."""

from pointree.vocabulary.characters import CharVocabulary
from pointree.vocabulary.symbols import PAD, ROOT, UNK, LabelVocabulary, Vocabulary
from pointree.vocabulary.vocabularies import Vocabularies
from pointree.vocabulary.words import WordVocabulary, normalise, variants

__all__ = [
    "PAD",
    "ROOT",
    "UNK",
    "CharVocabulary",
    "LabelVocabulary",
    "Vocabularies",
    "Vocabulary",
    "WordVocabulary",
    "normalise",
    "variants",
]
