"""The formats of UDPipe, read and written by UDPipe itself; CoNLL-U, the usual one, is ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pointree.errors import InputError, UsageError
from pointree.serving.failures import over_limit
from pointree.serving.inputs import check_text, from_conllu, from_tokeniser
from pointree.serving.limits import Limits
from pointree.text.udpipe_library import ufal
from pointree.treebank.conllu import format_sentence
from pointree.treebank.sentence import Sentence

__all__ = ["UdpipeWriter", "read_udpipe"]

_INPUTS = ("conllu", "generic_tokenizer", "horizontal", "vertical")
_OUTPUTS = ("conllu", "epe", "matxin", "horizontal", "plaintext", "vertical")
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")


_PAUSE_LINES = 1_000
"""Lines after which reading pauses, whether they made a sentence or not."""


def read_udpipe(data: str, spec: str, limits: Limits) -> Iterator[Sentence | None]:
    """The sentences of data in a format that UDPipe knows, named as UDPipe does: `name` or `name=options`.

    None is a pause.
    """
    name = spec.partition("=")[0]
    if name not in _INPUTS:
        raise UsageError(f"input: expected one of {', '.join(_INPUTS)}, found {spec[:80]!r}")
    if name == "conllu":
        return from_conllu(data, limits, name="data")
    if found := _UNREADABLE.search(data):
        raise UsageError(f"data: expected text, found U+{ord(found[0]):04X} at character {found.start()}")
    if ufal.InputFormat.newInputFormat(spec) is None:
        raise UsageError(f"input: expected options that UDPipe knows, found {spec[:80]!r}")
    if name == "generic_tokenizer":
        return from_tokeniser(data, _GenericTokenizer(spec, limits), limits, name="data")
    return _read_lines(data, spec, limits)


class _GenericTokenizer:
    """UDPipe's tokeniser by rules. Its time grows with the square of a text without white space: give it pieces."""

    def __init__(self, spec: str, limits: Limits) -> None:
        self._spec = spec
        self._limits = limits

    def segment(self, text: str, *, presegmented: bool = False) -> Iterator[Sentence]:
        """Cut text into sentences of words."""
        del presegmented  # an option of the format itself
        return _read(text, self._spec, self._limits)


def _read_lines(data: str, spec: str, limits: Limits) -> Iterator[Sentence | None]:
    """Sentences of words that stand in lines: one line each, or one word a line and a blank line after each."""
    check_text(data, limits, "data")
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    by_line = spec.startswith("horizontal")
    piece: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if number % _PAUSE_LINES == 0:
            yield None
        n_words = len(line.split(None, limits.sentence_words)) if by_line else len(piece)
        if n_words > limits.sentence_words:
            message = f"data: expected sentences of at most {limits.sentence_words} words, found a longer one"
            raise over_limit(limits, "sentence_words", message)
        piece.append(line)
        if (by_line or not line.strip()) and any(map(str.strip, piece)):
            yield from _read("\n".join([*piece, "", ""]), spec, limits)
        if by_line or not line.strip():
            piece = []


def _read(text: str, spec: str, limits: Limits) -> Iterator[Sentence]:
    reader = ufal.InputFormat.newInputFormat(spec)
    reader.setText(text)
    writer = ufal.OutputFormat.newConlluOutputFormat()
    raw, error = ufal.Sentence(), ufal.ProcessingError()
    while reader.nextSentence(raw, error):
        yield from from_conllu(writer.writeSentence(raw), limits, name="data")
    if error.occurred():
        raise InputError(f"data: cannot be read: {error.message}")


class UdpipeWriter:
    """Writes sentences in a format that UDPipe knows, one after the other, and then what ends a document.

    With ``ranges``, CoNLL-U says where tokens stand in the text.
    """

    def __init__(self, spec: str, *, ranges: bool = False) -> None:
        name = spec.partition("=")[0]
        self._ranges = ranges
        self._is_ours = spec == "conllu"
        self._writer: Any = ufal.OutputFormat.newOutputFormat(spec) if name in _OUTPUTS else None
        if self._writer is None:
            raise UsageError(f"output: expected one of {', '.join(_OUTPUTS)}, found {spec[:80]!r}")

    def write(self, sentence: Sentence) -> str:
        """One sentence."""
        text = format_sentence(sentence, ranges=self._ranges)
        if self._is_ours:
            return text
        reader = ufal.InputFormat.newConlluInputFormat()
        reader.setText(text)
        raw, error = ufal.Sentence(), ufal.ProcessingError()
        if not reader.nextSentence(raw, error):
            raise InputError(f"output: UDPipe cannot write this sentence: {error.message}")
        return str(self._writer.writeSentence(raw))

    def end(self) -> str:
        """What comes after the last sentence."""
        return "" if self._is_ours else str(self._writer.finishDocument())
