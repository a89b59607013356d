"""A sentence as one row of a table: a few values of its own, and each CoNLL-U column as a list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pointree.treebank.sentence import Sentence

__all__ = ["LIST_COLUMNS", "arrow_schema", "to_columns"]

LIST_COLUMNS = {
    "ids": "id",
    "forms": "form",
    "lemmas": "lemma",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "heads": "head",
    "deprels": "deprel",
    "deps": "deps",
    "misc": "misc",
}
"""The columns that are lists, and the column of CoNLL-U that each holds, ranges and empty nodes included."""


def to_columns(sentence: Sentence) -> dict[str, Any]:
    """A sentence as a row: ``sent_id``, ``text``, ``comments``, the lists, and offsets of all tokens.

    Offsets, of the sentence and of its tokens, count code points of its document; they are None where there is none.
    """
    return {
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "start": sentence.start,
        "end": sentence.end,
        "comments": sentence.comments,
        **{name: [getattr(token, column) for token in sentence.tokens] for name, column in LIST_COLUMNS.items()},
        "starts": [token.start for token in sentence.tokens],
        "ends": [token.end for token in sentence.tokens],
    }


def arrow_schema(before: Iterable[Any] = ()) -> Any:
    """The Arrow schema of these rows, after some fields of the caller's."""
    import pyarrow

    text, number = pyarrow.string(), pyarrow.int64()
    own = {"sent_id": text, "text": text, "start": number, "end": number, "comments": pyarrow.list_(text)}
    for name in LIST_COLUMNS:
        own[name] = pyarrow.list_(pyarrow.int32() if name == "heads" else text)
    own |= dict.fromkeys(("starts", "ends"), pyarrow.list_(number))
    return pyarrow.schema([*before, *(pyarrow.field(name, kind) for name, kind in own.items())])
