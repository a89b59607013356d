"""CoNLL-U behind the interface of the other formats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from pointree.treebank.conllu import write_conllu
from pointree.treebank.sentence import Sentence

__all__ = ["write"]


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write each sentence as CoNLL-U; `colour` is about terminals and changes nothing here."""
    write_conllu(sentences, stream)
