"""Sentences, and treebank files in and out. Plain Python, no arrays."""

from pointree.treebank.conllu import format_sentence, read_conllu, write_conllu
from pointree.treebank.conllx import read_conllx
from pointree.treebank.formats import guess_format, read_all, read_treebank, require_sentences
from pointree.treebank.plain import read_words
from pointree.treebank.sentence import Sentence, Token, get_misc, set_misc
from pointree.treebank.validity import tree_faults

__all__ = [
    "Sentence",
    "Token",
    "format_sentence",
    "get_misc",
    "guess_format",
    "read_all",
    "read_conllu",
    "read_conllx",
    "read_treebank",
    "read_words",
    "require_sentences",
    "set_misc",
    "tree_faults",
    "write_conllu",
]
