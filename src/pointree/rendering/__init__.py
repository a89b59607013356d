"""Parsed sentences in the formats that people and programs read.

`write(sentences, stream, "svg")` writes any iterable of sentences, and takes them one at a time; `render`
returns the same as text. A format's module is imported when it is first used. Importing this package lets sentences and
traces show themselves, see `pointree.views`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from pointree.errors import UsageError
from pointree.views import register_view

if TYPE_CHECKING:
    from pointree.treebank.sentence import Sentence

__all__ = ["FORMATS", "OutputFormat", "Writer", "format_of", "render", "write"]


class Writer(Protocol):
    """Writes sentences to a text stream, in UTF-8 where the stream is a file."""

    def __call__(self, sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
        """Take the sentences one at a time; `colour` allows ANSI sequences in formats for the terminal."""


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format: what it is in a few words, the module with its `write` function, and its suffixes of file names."""

    description: str
    module: str
    suffixes: tuple[str, ...] = ()

    def load(self) -> Writer:
        """The writer of the format."""
        return cast(Writer, import_module(f"pointree.rendering.{self.module}").write)


FORMATS: Mapping[str, OutputFormat] = MappingProxyType(
    {
        "conllu": OutputFormat("CoNLL-U, the format of Universal Dependencies", "conllu_format", (".conllu", ".conll")),
        "json": OutputFormat("one JSON array, one sentence a line", "json_format", (".json",)),
        "jsonl": OutputFormat("JSON Lines: one object a sentence", "jsonl_format", (".jsonl", ".ndjson")),
        "svg": OutputFormat("a picture with arcs above the words", "svg", (".svg",)),
        "table": OutputFormat("aligned plain columns", "table"),
        "tikz": OutputFormat("LaTeX source for tikz-dependency", "tikz", (".tex",)),
        "tree": OutputFormat("a drawing for the terminal", "tree"),
    }
)


def format_of(path: str | os.PathLike[str]) -> str:
    """The format of an output file by its suffix, CoNLL-U for one without; an unknown suffix is a `UsageError`."""
    suffix = PurePath(path).suffix
    if not suffix:
        return "conllu"
    for name, known in FORMATS.items():
        if suffix.lower() in known.suffixes:
            return name
    suffixes = ", ".join(f"{name} ({suffix})" for name, known in FORMATS.items() for suffix in known.suffixes[:1])
    others = ", ".join(name for name, known in FORMATS.items() if not known.suffixes)
    raise UsageError(
        f"{os.fspath(path)}: no output format has the suffix {suffix}; name one, or use the suffix of "
        f"{suffixes}; {others} have none"
    )


def write(sentences: Iterable[Sentence], stream: TextIO, format: str, *, colour: bool = False) -> None:  # noqa: A002
    """Write the sentences in a format of `FORMATS`, taking and writing them one at a time."""
    if format not in FORMATS:
        raise UsageError(f"format: expected one of {', '.join(FORMATS)}, found {format!r}")
    FORMATS[format].load()(sentences, stream, colour=colour)


def render(sentences: Sentence | Iterable[Sentence], format: str, *, colour: bool = False) -> str:  # noqa: A002
    """One sentence or several, in a format of `FORMATS`, as text."""
    from pointree.treebank.sentence import Sentence

    stream = StringIO()
    write([sentences] if isinstance(sentences, Sentence) else sentences, stream, format, colour=colour)
    return stream.getvalue()


def _to_dict(sentence: Sentence) -> dict[str, Any]:
    from pointree.rendering.json_format import to_object

    return to_object(sentence)


def _list_to_html(sentences: Sequence[Sentence]) -> str:
    from pointree.rendering.html import draw_list

    return draw_list(sentences)


def _trace_to_html(trace: Mapping[str, Any]) -> str:
    from pointree.rendering.html_trace import draw_trace

    return draw_trace(trace)


register_view("tree", lambda sentence: render(sentence, "tree").rstrip("\n"))
register_view("svg", lambda sentence: render(sentence, "svg"))
register_view("dict", _to_dict)
register_view("html", _list_to_html)
register_view("trace", _trace_to_html)
