"""The sentences of a request, read the way the command line reads them: the same bytes give the same sentences."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from pointree.parser import SentenceParser
from pointree.serving.failures import over_limit
from pointree.serving.limits import Limits
from pointree.text.reading import segment_text
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence

__all__ = ["check_words", "from_conllu", "from_text", "from_words"]


def from_text(
    text: str, parser: SentenceParser, *, presegmented: bool = False, name: str = "text"
) -> Iterator[Sentence]:
    """Cut raw text into sentences with the text model of the parser, which must have one."""
    return segment_text(text, parser.require_text_model(), name=name, presegmented=presegmented)


def from_conllu(conllu: str, *, name: str = "conllu") -> Iterator[Sentence]:
    """Read CoNLL-U; a row that breaks the format is an error with its line."""
    return read_treebank(_stream(conllu), format="conllu", name=name)


def from_words(sentences: Sequence[Sequence[str]]) -> Iterator[Sentence]:
    """Take lists of words as sentences."""
    return map(Sentence.from_words, sentences)


def check_words(text: str, limits: Limits) -> None:
    """Refuse text whose white space alone makes too many words, before anybody works on it.

    A script without white space is found out later, when it has been cut into that many words.
    """
    found = len(text.split())
    if found > limits.words:
        raise over_limit(limits, "words", f"text: expected at most {limits.words} words, found {found} or more")


def _stream(text: str) -> io.BytesIO:
    # A lone surrogate, which JSON can spell, fails where the bytes are decoded, with its place.
    return io.BytesIO(text.encode("utf-8", "surrogatepass"))
