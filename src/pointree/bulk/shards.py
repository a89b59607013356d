"""Writing the shard of a unit: its documents are read, parsed and written, and what failed is told beside it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO

from pointree.bulk.job import BulkJob
from pointree.bulk.numbering import Numbering
from pointree.bulk.pieces import parquet_file
from pointree.bulk.plan import Unit
from pointree.bulk.reading import Document, Failure, UnitReader
from pointree.bulk.sources import Source
from pointree.bulk.values import as_json, finite
from pointree.errors import UsageError
from pointree.files import atomic_write, reading
from pointree.parser import SentenceParser
from pointree.rendering.columns import arrow_schema, to_columns
from pointree.rendering.json_format import to_object
from pointree.running.batching import windows
from pointree.treebank.conllu import write_conllu
from pointree.treebank.sentence import Sentence

__all__ = ["ShardReport", "ShardWriter"]

_HELD_SENTENCES = 8_192
"""Sentences of a long document that are read before the first is parsed, so that their number is soon known."""

_ROW_GROUP = 1_024
_COLUMNS = "columns"

Tree = tuple[Document, Sentence]


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What is in a shard, and what is not."""

    sentences: int
    words: int
    failures: list[Failure]

    def to_json(self) -> str:
        """The report on one line, in ASCII: what it quotes need not be Unicode."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ShardReport:
        """The report that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        return cls(**{**values, "failures": [Failure(**failure) for failure in values["failures"]]})


class ShardWriter:
    """Makes the shards of a job, one after another, with one parser."""

    def __init__(self, job: BulkJob, parser: SentenceParser) -> None:
        self.job = job
        self.parser = parser
        self.reader = UnitReader(parser.require_segmenter, sentences=job.options.sentences, text_column=job.text_column)
        self.numbering = Numbering(job.work / "numbers", self.reader.count)
        self.sentences = self.words = 0

    def write(self, unit: Unit) -> ShardReport:
        """Write the shard of a unit, whole or not at all; its report is there before it."""
        self.sentences = self.words = 0
        self.reader.failures.clear()
        trees = self._trees(unit)
        shard = self.job.shard(unit.number)
        if self.job.format == "parquet":
            with atomic_write(shard, "b") as binary:
                _write_parquet(trees, binary, unit, self.job.text_column)
                return self._write_report(unit)
        with atomic_write(shard) as stream:
            if self.job.format == "jsonl":
                _write_jsonl(trees, stream)
            else:
                write_conllu(_joined((tree for _document, tree in trees), unit), stream)
            return self._write_report(unit)

    def _write_report(self, unit: Unit) -> ShardReport:
        report = ShardReport(self.sentences, self.words, list(self.reader.failures))
        with atomic_write(self.job.report(unit.number)) as stream:
            stream.write(report.to_json())
        return report

    def _trees(self, unit: Unit) -> Iterator[Tree]:
        """The parsed sentences of a unit; those of all its documents go through the parser together."""
        owners: deque[tuple[Document, bool]] = deque()
        options = self.job.options
        document, is_first = None, False
        for tree in self.parser.stream(self._sentences(unit, owners), options, copy=False):
            if document is None or options.n_best == 1 or tree.meta("tree_rank") == "1":
                document, is_first = owners.popleft()
                self.sentences += 1
                self.words += len(tree)
                if is_first and document.piece.is_long:
                    document.before = self.numbering.before(document.piece)
            document.finish(tree, is_first=is_first)
            yield document, tree

    def _sentences(self, unit: Unit, owners: deque[tuple[Document, bool]]) -> Iterator[Sentence]:
        """The sentences of a unit, while ``owners`` gets the document of each and whether it is its first sentence."""
        for piece in unit.pieces:
            for document, sentences in self.reader.documents(piece):
                is_first = True
                for sentence in self._counted(document, sentences) if piece.is_long else sentences:
                    if len(sentence):  # those that are too long have left an empty one behind
                        owners.append((document, is_first))
                        is_first = False
                        yield sentence

    def _counted(self, document: Document, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences of a long document, whose number is recorded: before the first is parsed, if they are few."""
        iterator = iter(sentences)
        held = list(islice(iterator, _HELD_SENTENCES))
        if len(held) < _HELD_SENTENCES:
            self.numbering.record(document.piece, len(held))
            yield from held
            return
        count = 0
        for sentence in chain(held, iterator):
            count += 1
            yield sentence
        self.numbering.record(document.piece, count)


def _joined(trees: Iterator[Sentence], unit: Unit) -> Iterator[Sentence]:
    """The trees of a shard such that shards written one after another are one file, as `write_conllu` writes it."""
    held: Sentence | None = None
    for tree in trees:
        if held is None:
            if unit.number:
                tree.leader = tree.leader.removeprefix("\ufeff")
        else:
            yield held
        held = tree
    if held is not None:
        if not unit.is_last:
            held.trailer += held.newline * max(0, 2 - held.trailer.count("\n"))
        yield held


def _write_jsonl(trees: Iterator[Tree], stream: TextIO) -> None:
    for document, tree in trees:
        row = to_object(tree)
        if document.piece.source.is_table:
            row["document"] = finite({"id": document.name, **document.columns})
        stream.write(as_json(row) + "\n")


def _write_parquet(trees: Iterator[Tree], stream: BinaryIO, unit: Unit, text_column: str) -> None:
    """Write a row a tree: its document, the other columns of that document, and its own columns.

    Those of Parquet files are kept as they are, and null for documents of other files. Rows of JSON Lines may differ in
    theirs: they become one JSON object.
    """
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    fields = _other_fields(unit, text_column)
    schema = arrow_schema([pyarrow.field("document", pyarrow.string()), *fields])
    with ParquetWriter(stream, schema) as writer:
        for group in windows(trees, _ROW_GROUP):
            rows = [
                {
                    **_other_values(document),
                    "document": document.name or document.piece.source.title,
                    **to_columns(tree),
                }
                for document, tree in group
            ]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))


def _other_fields(unit: Unit, text_column: str) -> list[Any]:
    """The fields of all tables of a unit, but for the text."""
    import pyarrow

    taken = {"document", *arrow_schema().names}
    found = pyarrow.schema([])
    for source in dict.fromkeys(piece.source for piece in unit.pieces if piece.fault is None):
        own = _fields_of(source, text_column)
        for field in own:
            if field.name in taken:
                raise UsageError(
                    f"{source.title}: the output has a column {field.name} of its own; rename that of the input"
                )
        try:
            found = pyarrow.unify_schemas([found, pyarrow.schema(own)], promote_options="permissive")
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
            problem = f"its columns do not fit those of the files before it ({str(error).splitlines()[0]})"
            raise UsageError(f"{source.title}: {problem}; parse it to another folder, or to jsonl") from None
    return list(found)


def _fields_of(source: Source, text_column: str) -> list[Any]:
    import pyarrow

    if source.kind == "jsonl":
        return [pyarrow.field(_COLUMNS, pyarrow.string())]
    if source.kind != "parquet":
        return []
    with reading(source.title), parquet_file(source, text_column) as file:
        return [field.remove_metadata() for field in file.schema_arrow if field.name != text_column]


def _other_values(document: Document) -> dict[str, Any]:
    if document.piece.source.kind == "jsonl":
        return {_COLUMNS: as_json(finite(document.columns))}
    return dict(document.columns)
