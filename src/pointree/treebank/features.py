"""Morphological features by name: ``token.features["Number"]`` reads and writes the column FEATS."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Protocol

from pointree.errors import UsageError

__all__ = ["Features", "read_attributes"]


class _Row(Protocol):
    feats: str


class Features(MutableMapping[str, str]):
    """The features of a word as a mapping; a change is written to its column, in the order that UD demands.

        >>> token.feats
        'Mood=Ind|Number=Sing'
        >>> token.features["Number"] = "Plur"
        >>> token.feats
        'Mood=Ind|Number=Plur'

    Several values of one feature are one text with commas (``"Fem,Masc"``); `all_values` splits them.
    """

    __slots__ = ("_row",)

    def __init__(self, row: _Row) -> None:
        self._row = row

    def __getitem__(self, name: str) -> str:
        return read_attributes(self._row.feats)[name] or ""

    def __setitem__(self, name: str, value: str) -> None:
        for what, text in (("a feature", name), (name, value)):
            if not isinstance(text, str) or not text or any(mark in text for mark in "|=\t\n\r "):
                raise UsageError(f"{what}: expected text without white space, | and =, found {text!r}")
        self._write({**read_attributes(self._row.feats), name: value})

    def __delitem__(self, name: str) -> None:
        features = read_attributes(self._row.feats)
        del features[name]
        self._write(features)

    def __iter__(self) -> Iterator[str]:
        return iter(read_attributes(self._row.feats))

    def __len__(self) -> int:
        return len(read_attributes(self._row.feats))

    def __repr__(self) -> str:
        return repr(dict(self))

    def all_values(self, name: str) -> tuple[str, ...]:
        """The values of a feature, of which most words have one; none if the word does not have the feature."""
        value = self.get(name)
        return () if value is None else tuple(value.split(","))

    def _write(self, features: dict[str, str | None]) -> None:
        ordered = sorted(features.items(), key=lambda item: item[0].lower())
        self._row.feats = "|".join(name if value is None else f"{name}={value}" for name, value in ordered) or "_"


def read_attributes(column: str) -> dict[str, str | None]:
    """The attributes ``key=value|…`` of FEATS or MISC; a bare key has None, a repeated one all its values."""
    attributes: dict[str, str | None] = {}
    if column == "_":
        return attributes
    for attribute in column.split("|"):
        key, equals, value = attribute.partition("=")
        earlier = attributes.get(key)
        attributes[key] = f"{earlier},{value}" if earlier is not None else value if equals else None
    return attributes
