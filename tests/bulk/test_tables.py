"""Tables of documents in, tables of sentences out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from pointree.bulk.manifest import FAILED
from pointree.bulk.run import parse_on_cluster
from pointree.errors import UsageError
from pointree.parser import load
from pointree.running.ray_session import ClusterError
from pointree.treebank.conllu import read_conllu

from ..helpers import ewt_sentences
from .conftest import InProcess, together

TEXTS = [sentence.text for sentence in ewt_sentences()]
LONG = "\n\n".join(" ".join(TEXTS[place : place + 2]) for place in range(0, 40, 2))
ROWS: list[dict[str, Any]] = [
    {"key": 7, "body": TEXTS[0], "topic": "news"},
    {"key": 8, "body": LONG, "topic": "a\tlong\none"},
    {"key": 9, "body": None, "topic": None},
    {"key": 10, "body": f"{TEXTS[1]} {TEXTS[2]}", "topic": "web"},
]


@pytest.fixture(params=["jsonl", "parquet"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"docs.{request.param}"
    if request.param == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    else:
        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, row_group_size=2)
    return path


@pytest.mark.parametrize("shard_words", [60, 10_000])
def test_rows_are_documents(
    table: Path, model: Path, in_process: InProcess, tmp_path: Path, shard_words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = parse_on_cluster(table.name, "out", model=model, text_column="body", shard_words=shard_words)
    found = [sentence for path in sorted(report.folder.glob("part-*")) for sentence in read_conllu(path)]
    expected = [
        (f"{row}-{number}", sentence.text, sentence.heads)
        for row, text in enumerate((row["body"] for row in ROWS), 1)
        for number, sentence in enumerate(load(model).parse_text(text or ""), 1)
    ]
    assert [(sentence.sent_id, sentence.text, sentence.heads) for sentence in found] == expected
    newdocs = {sentence.meta("newdoc id"): sentence.comments[:3] for sentence in found if sentence.meta("newdoc id")}
    assert newdocs == {
        f"{table.name}:1": [f"# newdoc id = {table.name}:1", "# key = 7", "# topic = news"],
        f"{table.name}:2": [f"# newdoc id = {table.name}:2", "# key = 8", "# topic = a long one"],
        f"{table.name}:4": [f"# newdoc id = {table.name}:4", "# key = 10", "# topic = web"],
    }
    [failure] = (report.folder / FAILED).read_text().splitlines()
    reason = f"{table.name}:3: expected text in the column body, found nothing"
    assert json.loads(failure) == {"document": f"{table.name}:3", "reason": reason}
    assert report.shards > 3 if shard_words == 60 else report.shards == 1


def test_shards_of_parquet_keep_the_columns(table: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    out = tmp_path / "out"
    parse_on_cluster(table, out, model=model, text_column="body", shard_words=60, output_format="parquet")
    rows = parquet.ParquetDataset(sorted(out.glob("*.parquet"))).read().to_pylist()
    own = [{"key": row["key"], "topic": row["topic"]} for row in ROWS]
    for row in rows:
        number = int(row["document"].rpartition(":")[2]) - 1
        columns = json.loads(row["columns"]) if table.suffix == ".jsonl" else {k: row[k] for k in ("key", "topic")}
        assert columns == own[number]
        assert len(row["ids"]) == len(row["forms"]) == len(row["heads"]) == len(row["starts"])
        for form, start, end in zip(row["forms"], row["starts"], row["ends"], strict=True):
            assert "".join(ROWS[number]["body"][start:end].split()) == "".join(form.split())
    assert len({row["sent_id"] for row in rows}) == len(rows) > 40


def test_shards_of_json_lines_keep_the_columns(table: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    report = parse_on_cluster(table, tmp_path / "out", model=model, text_column="body", output_format="jsonl")
    rows = [json.loads(line) for line in together(report.folder).splitlines()]
    assert rows[0]["document"] == {"id": f"{table}:1", "key": 7, "topic": "news"}
    assert rows[-1]["document"]["key"] == 10
    assert rows[0]["tokens"][0]["head"] is not None


def test_a_missing_column(table: Path, model: Path, in_process: InProcess, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no column text to take text from; there are key, body, topic$"):
        parse_on_cluster(table, tmp_path / "out", model=model)
    assert not (tmp_path / "out").exists(), "so that the right column can go to the same folder"


def test_columns_that_are_called_like_comments_of_sentences(model: Path, in_process: InProcess, tmp_path: Path) -> None:
    table = tmp_path / "a.jsonl"
    row = {
        "body": "It rains. She sleeps.",
        "text": "no",
        "sent_id": "x",
        "newdoc id": "d",
        "a\nb = c": "1\n2\tX",
        "n": [1],
    }
    table.write_text(json.dumps(row), encoding="utf-8")
    report = parse_on_cluster(table, tmp_path / "out", model=model, text_column="body")
    first, second = read_conllu(report.folder / "part-00000.conllu")
    assert (first.sent_id, first.text, second.sent_id, second.text) == ("1-1", "It rains.", "1-2", "She sleeps.")
    assert first.comments[:6] == [
        f"# newdoc id = {table}:1",
        "# document_text = no",
        "# document_sent_id = x",
        "# document_newdoc id = d",
        "# a b _ c = 1 2 X",
        "# n = [1]",
    ]


def test_rows_that_are_no_documents(model: Path, in_process: InProcess, tmp_path: Path) -> None:
    table = tmp_path / "a.jsonl"
    good = json.dumps({"text": "It rains."})
    table.write_text(f'{good}\n\n[1]\n{{"text": 3}}\n{{"text": "\\ud800"}}\n{{"te\n{good}\n', encoding="utf-8")
    report = parse_on_cluster(table, tmp_path / "out", model=model)
    reasons = [json.loads(line)["reason"] for line in (report.folder / FAILED).read_text().splitlines()]
    assert [reason.partition("a.jsonl:")[2][:26] for reason in reasons] == [
        "3: expected a JSON object,",
        "4: expected text in the co",
        "5:1: expected Unicode text",
        "6: expected a JSON object ",
    ]
    assert report.sentences == 2


def test_a_damaged_table_does_not_end_a_job_that_writes_parquet(
    model: Path, in_process: InProcess, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.parquet").write_bytes(b"PAR1 garbage PAR1")
    parquet.write_table(pyarrow.table({"text": ["It rains."], "n": [1]}), tmp_path / "in" / "b.parquet")
    report = parse_on_cluster(tmp_path / "in", tmp_path / "out", model=model, output_format="parquet")
    assert (report.sentences, report.failed) == (1, 1)


def test_files_with_other_columns_share_a_shard(model: Path, in_process: InProcess, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("We walk.", encoding="utf-8")
    parquet.write_table(pyarrow.table({"text": ["It rains."], "n": [1]}), folder / "b.parquet")
    parquet.write_table(pyarrow.table({"text": ["She sleeps."], "n": [0.5], "m": ["x"]}), folder / "c.parquet")
    (folder / "d.jsonl").write_text('{"text": "They sing.", "k": NaN}', encoding="utf-8")
    report = parse_on_cluster(folder, tmp_path / "out", model=model, output_format="parquet")
    rows = parquet.read_table(report.folder / "part-00000.parquet").to_pylist()
    assert [(row["text"], row["n"], row["m"], row["columns"]) for row in rows] == [
        ("We walk.", None, None, None),
        ("It rains.", 1.0, None, None),
        ("She sleeps.", 0.5, "x", None),
        ("They sing.", None, None, '{"k": null}'),
    ]
    parquet.write_table(pyarrow.table({"text": ["Go."], "n": ["one"]}), folder / "e.parquet")
    with pytest.raises(ClusterError, match=r"e\.parquet: its columns do not fit those of the files before it \(.* n "):
        parse_on_cluster(folder, tmp_path / "clash", model=model, output_format="parquet")


@pytest.mark.parametrize("output_format", ["conllu", "jsonl", "parquet"])
def test_values_that_the_output_cannot_hold(
    model: Path, in_process: InProcess, tmp_path: Path, output_format: str
) -> None:
    table = tmp_path / "a.jsonl"
    table.write_text('{"text": "It rains.", "half": "\\ud800", "h\\ud800": 1, "n": [NaN, -Infinity]}', encoding="utf-8")
    report = parse_on_cluster(table, tmp_path / "out", model=model, output_format=output_format)
    assert (report.sentences, report.failed) == (1, 0)
    if output_format == "conllu":
        [tree] = read_conllu(report.folder / "part-00000.conllu")
        assert tree.comments[1:4] == ["# half = ?", "# h? = 1", "# n = [null, null]"]
    elif output_format == "jsonl":
        row = json.loads(together(report.folder), parse_constant=pytest.fail)
        assert row["document"] == {"id": f"{table}:1", "half": "\ud800", "h\ud800": 1, "n": [None, None]}
