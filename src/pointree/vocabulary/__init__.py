"""Symbols to numbers, and word vectors."""

from pointree.vocabulary.characters import CharVocabulary
from pointree.vocabulary.columns import COLUMNS, ColumnClasses
from pointree.vocabulary.symbols import PAD, ROOT, UNK, LabelVocabulary, Vocabulary
from pointree.vocabulary.vocabularies import Vocabularies
from pointree.vocabulary.words import WordVocabulary, normalise, variants

__all__ = [
    "COLUMNS",
    "PAD",
    "ROOT",
    "UNK",
    "CharVocabulary",
    "ColumnClasses",
    "LabelVocabulary",
    "Vocabularies",
    "Vocabulary",
    "WordVocabulary",
    "normalise",
    "variants",
]
