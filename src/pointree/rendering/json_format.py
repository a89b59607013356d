"""Sentences as JSON: one array, one sentence a line; `sentences.schema.json` in this folder describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, TextIO

from pointree.treebank.features import read_attributes
from pointree.treebank.sentence import PROBABILITIES, Sentence, Token

__all__ = ["schema", "to_line", "to_object", "write", "write_array"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def write(sentences: Iterable[Sentence], stream: TextIO, *, colour: bool = False) -> None:
    """Write one JSON array; `colour` is about terminals and changes nothing here."""
    write_array(map(to_object, sentences), stream)


def write_array(values: Iterable[Any], stream: TextIO) -> None:
    """Write JSON values as one array, taking them one at a time and giving each a line."""
    separator = "[\n"
    for value in values:
        stream.write(separator + _line(value))
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def to_line(sentence: Sentence) -> str:
    """A sentence as one line of JSON, without the line end."""
    return _line(to_object(sentence))


def _line(value: Any) -> str:
    # Half a surrogate pair cannot be encoded; JSON can still spell it.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def schema() -> dict[str, Any]:
    """The JSON Schema of what `write` writes."""
    text = files("pointree.rendering").joinpath("sentences.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_object(sentence: Sentence) -> dict[str, Any]:
    """A sentence as JSON values; the word with the id `i` is `tokens[i - 1]`."""
    tokens, ranges, empty_nodes = [], [], []
    for token in sentence.tokens:
        offsets = {"start": token.start, "end": token.end}
        misc, probabilities = _split_misc(token)
        if token.is_range:
            first, _, last = token.id.partition("-")
            ranges.append({"first": int(first), "last": int(last), "form": token.form, "misc": misc, **offsets})
        elif token.is_empty:
            empty_nodes.append({"id": token.id, **_analysis(token), "deps": _deps(token.deps), "misc": misc})
        else:
            arc = {"head": token.head, "deprel": _value(token.deprel), "deps": _deps(token.deps)}
            word = {"id": int(token.id), **_analysis(token), **arc, "misc": misc, **offsets, **probabilities}
            tokens.append(word)
    return {
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "comments": sentence.comments,
        "tokens": tokens,
        "ranges": ranges,
        "empty_nodes": empty_nodes,
    }


def _analysis(token: Token) -> dict[str, Any]:
    return {
        "form": token.form,
        # The lemma of an underscore is an underscore; all other underscores stand for nothing.
        "lemma": token.lemma if token.form == "_" else _value(token.lemma),
        "upos": _value(token.upos),
        "xpos": _value(token.xpos),
        "feats": read_attributes(token.feats),
    }


def _value(column: str) -> str | None:
    return None if column == "_" else column


def _split_misc(token: Token) -> tuple[dict[str, str | None], dict[str, Any]]:
    """The attributes of MISC, and those among them that are about probabilities, as numbers and lists."""
    misc = read_attributes(token.misc)
    found: dict[str, Any] = {}
    for name, key in PROBABILITIES.items():
        probability = token.probability(name) if key in misc else None
        if probability is not None:
            found[f"{name}_prob"] = probability
            del misc[key]
    low = (misc.get("LowConfidence") or "").split(",")
    if set(low) <= PROBABILITIES.keys():
        found["low_confidence"] = low
        del misc["LowConfidence"]
    return misc, found


def _deps(column: str) -> list[dict[str, str]]:
    """The arcs `head:deprel|…` of the enhanced graph; a head may be an empty node, so it is text."""
    if column == "_":
        return []
    parts = (arc.partition(":") for arc in column.split("|"))
    return [{"head": head, "deprel": deprel} for head, _, deprel in parts]
