"""Sentences as JSON Lines: one object a line, the same objects as those of the array of `json`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from pointree.rendering.json_format import to_line
from pointree.treebank.sentence import Sentence

__all__ = ["write"]


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write one JSON object a line; `colour` is about terminals and changes nothing here."""
    for sentence in sentences:
        stream.write(to_line(sentence) + "\n")
