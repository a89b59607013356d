"""The formats of UDPipe, read and written by UDPipe itself; CoNLL-U, the usual one, is ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import ufal.udpipe as ufal

from pointree.errors import InputError, UsageError
from pointree.serving.inputs import from_conllu
from pointree.treebank.conllu import format_sentence
from pointree.treebank.sentence import Sentence

__all__ = ["UdpipeWriter", "read_udpipe"]

_INPUTS = ("conllu", "generic_tokenizer", "horizontal", "vertical")
_OUTPUTS = ("conllu", "epe", "matxin", "horizontal", "plaintext", "vertical")
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")


def read_udpipe(data: str, spec: str) -> Iterator[Sentence]:
    """The sentences of data in a format that UDPipe knows, named as UDPipe does: `name` or `name=options`."""
    name = spec.partition("=")[0]
    if name not in _INPUTS:
        raise UsageError(f"input: expected one of {', '.join(_INPUTS)}, found {spec[:80]!r}")
    if name == "conllu":
        return from_conllu(data, name="data")
    if found := _UNREADABLE.search(data):
        raise UsageError(f"data: expected text, found U+{ord(found[0]):04X} at character {found.start()}")
    reader = ufal.InputFormat.newInputFormat(spec)
    if reader is None:
        raise UsageError(f"input: expected options that UDPipe knows, found {spec[:80]!r}")
    return _read(data.replace("\r\n", "\n").replace("\r", "\n"), reader)


def _read(data: str, reader: ufal.InputFormat) -> Iterator[Sentence]:
    reader.setText(data)
    writer = ufal.OutputFormat.newConlluOutputFormat()
    raw, error = ufal.Sentence(), ufal.ProcessingError()
    while reader.nextSentence(raw, error):
        yield from from_conllu(writer.writeSentence(raw), name="data")
    if error.occurred():
        raise InputError(f"data: cannot be read: {error.message}")


class UdpipeWriter:
    """Writes sentences in a format that UDPipe knows, one after the other, and then what ends a document."""

    def __init__(self, spec: str) -> None:
        name = spec.partition("=")[0]
        self._is_ours = spec == "conllu"
        self._writer: Any = ufal.OutputFormat.newOutputFormat(spec) if name in _OUTPUTS else None
        if self._writer is None:
            raise UsageError(f"output: expected one of {', '.join(_OUTPUTS)}, found {spec[:80]!r}")

    def write(self, sentence: Sentence) -> str:
        """One sentence."""
        text = format_sentence(sentence)
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
