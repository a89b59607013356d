"""Documents in, sentences out, for engines that work on Arrow batches: Ray Data, Spark and Hugging Face Datasets.

    parse = ArrowParser("en", text_column="body")
    dataset.map_batches(ArrowParser, fn_constructor_kwargs={"model": "en"}, ...)   # Ray Data
    frame.mapInArrow(parse.batches, parse.spark_schema(frame))                      # Spark
    dataset.map(parse.lists, batched=True, remove_columns=dataset.column_names)     # Hugging Face

Every sentence is a row: the other columns of its document, and those of `pointree.rendering.columns`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pointree.errors import MissingExtraError, UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser, load
from pointree.rendering.columns import LIST_COLUMNS, arrow_schema, to_columns
from pointree.text.reading import segment_text
from pointree.treebank.sentence import Sentence

__all__ = ["ArrowParser"]


class ArrowParser:
    """Parses batches of documents; the model is loaded at the first batch, in the process that parses.

    Args:
        model: The name, folder or Hub id of a model.
        text_column: The column with the text of a document. Documents without text have no sentences.
        options: How to parse; `ParseOptions` fields may also be given as keywords (``beam=4``).
        device: Where to compute: cpu, cuda, …
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = "en",
        *,
        text_column: str = "text",
        options: ParseOptions | None = None,
        device: str = "cpu",
        **fields: Any,
    ) -> None:
        self.model = model
        self.text_column = text_column
        self.options = ParseOptions.of(options, fields)
        self.device = device

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the loaded model: other processes load their own."""
        return {name: value for name, value in self.__dict__.items() if name != "parser"}

    @cached_property
    def parser(self) -> Parser:
        """The parser, with one thread: engines run a process on every core."""
        from pointree.running.threads import prepare_process

        prepare_process(1)
        return load(self.model, precision=self.options.precision, device=self.device)

    def __call__(self, table: Any) -> Any:
        """Parse a `pyarrow.Table` of documents to one of sentences."""
        pyarrow = _import_arrow()
        if not isinstance(table, pyarrow.Table):
            raise UsageError(f'expected a pyarrow.Table, found {type(table).__name__}; give batch_format="pyarrow"')
        kept = self._kept(table.schema)
        texts = table.column(self.text_column).to_pylist()
        owners, rows = self._parse(texts)
        others = table.select([field.name for field in kept]).take(pyarrow.array(owners, pyarrow.int64()))
        own = pyarrow.Table.from_pylist(rows, schema=arrow_schema())
        return pyarrow.table([*others.columns, *own.columns], schema=self.schema(table.schema))

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Parse record batches one by one, as `mapInArrow` of Spark wants it."""
        pyarrow = _import_arrow()
        for batch in batches:
            yield from self(pyarrow.Table.from_batches([batch])).combine_chunks().to_batches()

    def lists(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Parse documents as columns of lists, as `Dataset.map` of Hugging Face wants it with ``batched=True``."""
        self._check(columns)
        owners, rows = self._parse(columns[self.text_column])
        others = [name for name in columns if name != self.text_column]
        found: dict[str, list[Any]] = {name: [columns[name][owner] for owner in owners] for name in others}
        return found | {name: [row[name] for row in rows] for name in arrow_schema().names}

    def schema(self, documents: Any) -> Any:
        """The Arrow schema of the sentences of a table of documents with this one."""
        return arrow_schema(self._kept(documents))

    def spark_schema(self, frame: Any) -> Any:
        """The schema of the sentences of a Spark data frame, for `mapInArrow`."""
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

        return from_arrow_schema(self.schema(to_arrow_schema(frame.schema)))

    def _parse(self, texts: Sequence[Any]) -> tuple[list[int], list[dict[str, Any]]]:
        """The number of the document of every sentence, and the sentence as a row.

        Sentences of all documents go through the parser together: short documents alone would make small batches.
        """
        waiting: deque[int] = deque()
        owners: list[int] = []
        rows: list[dict[str, Any]] = []
        for tree in self.parser.stream(self._sentences(texts, waiting), self.options, copy=False):
            is_new = self.options.n_best == 1 or tree.meta("tree_rank") == "1"
            owners.append(waiting.popleft() if is_new else owners[-1])
            rows.append(to_columns(tree))
        return owners, rows

    def _sentences(self, texts: Sequence[Any], owners: deque[int]) -> Iterator[Sentence]:
        """The sentences of all documents, while ``owners`` gets the number of the document of each."""
        for number, text in enumerate(texts):
            if text is None:
                continue
            if not isinstance(text, str):
                raise UsageError(f"column {self.text_column}: expected text, found {type(text).__name__}")
            for sentence in segment_text(text, self.parser.require_segmenter(), sentences=self.options.sentences):
                owners.append(number)
                yield sentence

    def _kept(self, schema: Any) -> list[Any]:
        """The fields of documents that their sentences keep."""
        self._check(schema.names)
        return [field for field in schema if field.name != self.text_column]

    def _check(self, names: Iterable[str]) -> None:
        found = list(names)
        if self.text_column not in found:
            raise UsageError(f"no column {self.text_column}; there are {', '.join(found)}")
        own = {"sent_id", "text", "start", "end", "comments", "starts", "ends", *LIST_COLUMNS}
        if taken := [name for name in found if name in own and name != self.text_column]:
            raise UsageError(f"the output has its own column {taken[0]}; rename that of the input")


def _import_arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("parsing Arrow batches", "ray") from None
    return pyarrow
