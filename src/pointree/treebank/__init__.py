"""Sentences, treebank files in and out, vocabularies and word vectors; no torch.

Names are imported at their first use: what only reads sentences does not wait for numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pointree.treebank.conllu import format_sentence, read_conllu, write_conllu
    from pointree.treebank.conllx import read_conllx
    from pointree.treebank.formats import guess_format, read_all, read_treebank, require_sentences
    from pointree.treebank.plain import read_words
    from pointree.treebank.sentence import Sentence, Token, get_misc, set_misc
    from pointree.treebank.validity import tree_faults
    from pointree.treebank.vectors import Vectors, read_vectors
    from pointree.treebank.vocabulary import LabelVocabulary, Vocabularies, Vocabulary, WordVocabulary

__all__ = [
    "LabelVocabulary",
    "Sentence",
    "Token",
    "Vectors",
    "Vocabularies",
    "Vocabulary",
    "WordVocabulary",
    "format_sentence",
    "get_misc",
    "guess_format",
    "read_all",
    "read_conllu",
    "read_conllx",
    "read_treebank",
    "read_vectors",
    "read_words",
    "require_sentences",
    "set_misc",
    "tree_faults",
    "write_conllu",
]

_HOMES = {
    "LabelVocabulary": "vocabulary",
    "Sentence": "sentence",
    "Token": "sentence",
    "Vectors": "vectors",
    "Vocabularies": "vocabulary",
    "Vocabulary": "vocabulary",
    "WordVocabulary": "vocabulary",
    "format_sentence": "conllu",
    "get_misc": "sentence",
    "guess_format": "formats",
    "read_all": "formats",
    "read_conllu": "conllu",
    "read_conllx": "conllx",
    "read_treebank": "formats",
    "read_vectors": "vectors",
    "read_words": "plain",
    "require_sentences": "formats",
    "set_misc": "sentence",
    "tree_faults": "validity",
    "write_conllu": "conllu",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pointree.treebank' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pointree.treebank.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
