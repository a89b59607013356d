"""Batches of documents in, rows of sentences out, in the engines that work on them."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from pointree.errors import UsageError
from pointree.integrations.arrow import ArrowParser
from pointree.integrations.ray import RayParser
from pointree.parser import load

TEXTS = ["It rains. She sleeps.", None, "They sing."]
TABLE = pyarrow.table({"key": [1, 2, 3], "body": TEXTS, "topic": ["a", "b", "c"]})


def sentences() -> list[tuple[int, str, list[int | None]]]:
    parser = load("en")
    return [
        (key, sentence.text, [token.head for token in sentence.tokens])
        for key, text in enumerate(TEXTS, 1)
        for sentence in parser.parse_text(text or "")
    ]


def rows(table: Any) -> list[tuple[int, str, list[int | None]]]:
    return [(row["key"], row["text"], row["heads"]) for row in table.to_pylist()]


def test_tables() -> None:
    parse = RayParser("en", text_column="body")
    found = parse(TABLE)
    assert rows(found) == sentences()
    assert found.schema == parse.schema(TABLE.schema)
    assert found.column_names[:3] == ["key", "topic", "sent_id"]
    [empty] = [parse(TABLE.slice(1, 1))]
    assert (len(empty), empty.schema) == (0, found.schema)


def test_batches_and_lists_are_the_same() -> None:
    parse = ArrowParser("en", text_column="body")
    by_batch = pyarrow.Table.from_batches(parse.batches(TABLE.to_batches(max_chunksize=2)))
    assert by_batch == parse(TABLE)
    lists = parse.lists(TABLE.to_pydict())
    assert pyarrow.table(lists, schema=parse.schema(TABLE.schema)) == parse(TABLE)


def test_short_documents_are_parsed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another, they took four times as long."""
    parse = ArrowParser("en-fast", n_best=2)
    sizes: list[int] = []
    trees = parse.parser.trees
    monkeypatch.setattr(
        parse.parser, "trees", lambda window, *rest, **more: sizes.append(len(window)) or trees(window, *rest, **more)
    )
    found = parse(pyarrow.table({"key": [1, 2, 3], "text": ["It rains. She sleeps.", "", "They sing."]}))
    assert sizes == [3]
    ranks = [(row["key"], next(c for c in row["comments"] if "tree_rank" in c)[-1]) for row in found.to_pylist()]
    assert ranks == [(1, "1"), (1, "2"), (1, "1"), (1, "2"), (3, "1"), (3, "2")]


@pytest.mark.slow
def test_a_parser_travels_without_its_model() -> None:
    parse = ArrowParser("en", text_column="body", beam=2)
    parse(TABLE)
    assert len(content := pickle.dumps(parse)) < 2_000
    assert rows(pickle.loads(content)(TABLE))


def test_columns_that_do_not_fit() -> None:
    with pytest.raises(UsageError, match=r"^no column text; there are key, body, topic$"):
        ArrowParser("en")(TABLE)
    with pytest.raises(UsageError, match=r"^the output has its own column text; rename that of the input$"):
        ArrowParser("en", text_column="body").lists({"body": [], "text": []})
    with pytest.raises(UsageError, match=r'^expected a pyarrow.Table, found dict; give batch_format="pyarrow"$'):
        ArrowParser("en")({"text": ["It rains."]})
    with pytest.raises(UsageError, match=r"^column key: expected text, found int$"):
        ArrowParser("en", text_column="key")(TABLE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_hugging_face_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs Hugging Face datasets")
    dataset = datasets.Dataset(TABLE)
    parse = ArrowParser("en", text_column="body")
    found = dataset.map(
        parse.lists, batched=True, remove_columns=dataset.column_names, load_from_cache_file=False, keep_in_memory=True
    )
    assert [(row["key"], row["text"], row["heads"]) for row in found] == sentences()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="needs pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = session.createDataFrame(TABLE.to_pylist(), "key long, body string, topic string")
        parse = ArrowParser("en", text_column="body")
        found = frame.mapInArrow(parse.batches, parse.spark_schema(frame)).collect()
        assert [(row["key"], row["text"], row["heads"]) for row in found] == sentences()
    finally:
        session.stop()
