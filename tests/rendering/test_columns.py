"""Sentences as rows of a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow

from pointree.rendering.columns import LIST_COLUMNS, arrow_schema, to_columns
from pointree.treebank.conllu import read_conllu


def test_a_row_has_every_column_of_every_token(ewt: Path) -> None:
    sentences = list(read_conllu(ewt))
    rows = [to_columns(sentence) for sentence in sentences]
    table = pyarrow.Table.from_pylist(rows, schema=arrow_schema())
    for sentence, row in zip(sentences, table.to_pylist(), strict=True):
        assert (row["sent_id"], row["text"], row["comments"]) == (sentence.sent_id, sentence.text, sentence.comments)
        for name, column in LIST_COLUMNS.items():
            assert row[name] == [getattr(token, column) for token in sentence.tokens]
        assert row["start"] is row["end"] is None
        assert row["starts"] == row["ends"] == [None] * len(sentence.tokens)


def test_fields_of_others_come_first() -> None:
    assert arrow_schema([pyarrow.field("key", pyarrow.int32())]).names[:2] == ["key", "sent_id"]
