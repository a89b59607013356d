"""Reading the documents of a unit: sentences with what belongs to their document, and reasons why others failed."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from pointree.bulk.pieces import Piece, parquet_file
from pointree.bulk.values import on_one_line
from pointree.errors import FormatError, PointreeError
from pointree.files import MAX_LINE, open_binary, reading
from pointree.options import SentenceBreaks
from pointree.pipeline.inputs import Input, read_input
from pointree.text.reading import Segmenter
from pointree.treebank.sentence import Sentence, Token

__all__ = ["Document", "Failure", "UnitReader"]

MAX_SENTENCE_WORDS = 10_000
"""The longest sentence that is parsed: memory grows with the square of its length, and an actor must not die of it."""

_LOCAL = "\x00"
"""What local sentence numbers start with until those of the whole document are known; no input has this character."""

_COMMENTS_OF_SENTENCES = ("sent_id", "text", "tree_rank", "tree_log_prob")
"""Comments that have a meaning of their own in CoNLL-U, or in the output."""

_LOCAL_ID = re.compile(rf"# sent_id = {_LOCAL}(\d+)")


@dataclass(frozen=True, slots=True)
class Failure:
    """A document, or a sentence of one, that is not in the output, and why."""

    document: str
    reason: str


@dataclass(slots=True)
class Document:
    """A document or a piece of one.

    Attributes:
        piece: Where it comes from.
        name: What `# newdoc id` says; None for the document of a job that has no other.
        prefix: What its sentence ids start with.
        columns: Of a row, what its other columns have.
        before: Its sentences in pieces before this one.
    """

    piece: Piece
    name: str | None
    prefix: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    before: int = 0

    def finish(self, tree: Sentence, *, is_first: bool) -> None:
        """Give a parsed sentence of the document its id, its place and, if it is the first, the document's comments."""
        for place, comment in enumerate(tree.comments):
            if found := _LOCAL_ID.fullmatch(comment):
                tree.comments[place] = f"# sent_id = {self.prefix}{self.before + int(found[1])}"
        if is_first and not self.piece.begins and "# newpar" in tree.comments:
            tree.comments.remove("# newpar")
        if is_first and not self.before and self.name is not None:
            about = [
                f"# {_comment_name(name)} = {on_one_line(value)}"
                for name, value in self.columns.items()
                if value is not None
            ]
            if tree.meta("newdoc id") is None and tree.meta("newdoc") is None:
                about.insert(0, f"# newdoc id = {on_one_line(self.name)}")
            tree.comments[:0] = about
        if moved := self.piece.chars - _lead(self.piece):
            parts: list[Sentence | Token] = [tree, *tree.tokens]
            for part in parts:
                if part.start is not None and part.end is not None:
                    part.start, part.end = part.start + moved, part.end + moved


class UnitReader:
    """Reads pieces; what cannot be read is added to ``failures``.

    ``segmenter`` is asked for what cuts raw text when the first text comes.
    """

    def __init__(self, segmenter: Callable[[], Segmenter], *, sentences: SentenceBreaks, text_column: str) -> None:
        self.segmenter = segmenter
        self.sentences = sentences
        self.text_column = text_column
        self.failures: list[Failure] = []

    def documents(self, piece: Piece) -> Iterator[tuple[Document, Iterable[Sentence]]]:
        """The documents of a piece with their sentences: all of a document's, or none if it fails.

        Of a long document, the sentences are read as they are needed: it was checked when it was cut.
        """
        source = piece.source
        if piece.fault is not None:
            self._fail(source.title, piece.fault)
        elif source.is_table:
            yield from self._row_documents(piece)
        else:
            document = Document(piece, source.title if source.prefix else None, source.prefix)
            sentences = self._sentences(piece, _PieceInput(source.title, piece), source.kind)
            if piece.is_long:
                yield document, sentences
            else:
                yield from self._whole(document, source.title, sentences)

    def count(self, piece: Piece) -> int:
        """How many sentences a piece has."""
        failures = len(self.failures)
        found = sum(len(list(sentences)) for _document, sentences in self.documents(piece))
        del self.failures[failures:]  # whoever parses the piece tells of them
        return found

    def _whole(self, document: Document, name: str, sentences: Iterator[Sentence]) -> Iterator[tuple[Document, Any]]:
        failures = len(self.failures)
        try:
            found = list(sentences)
        except PointreeError as error:
            del self.failures[failures:]
            self._fail(name, str(error))
        else:
            yield document, found

    def _row_documents(self, piece: Piece) -> Iterator[tuple[Document, Iterable[Sentence]]]:
        source = piece.source
        for number, row in self._rows(piece):
            name = f"{source.title}:{number}"
            if isinstance(row, str):
                self._fail(name, row)
                continue
            text = row.pop(self.text_column, None)
            if not isinstance(text, str):
                found = "nothing" if text is None else type(text).__name__
                self._fail(name, f"{name}: expected text in the column {self.text_column}, found {found}")
                continue
            if piece.inside is not None:
                start, stop = piece.inside
                text = "\n" * _lead(piece) + text[start:stop]
            document = Document(piece, name, f"{source.prefix}{number}-", row)
            yield from self._whole(document, name, self._sentences(piece, Input(name, text), "text"))

    def _rows(self, piece: Piece) -> Iterator[tuple[int, dict[str, Any] | str]]:
        """Rows with their numbers; of a row that cannot be read, the reason."""
        if piece.source.kind == "parquet":
            yield from _parquet_rows(piece, self.text_column)
            return
        with reading(piece.source.title), _range(piece) as stream:
            number = piece.line
            while raw := stream.readline(MAX_LINE + 1):
                place = f"{piece.source.title}:{number}"
                if len(raw) > MAX_LINE:
                    while not raw.endswith(b"\n") and (raw := stream.readline(MAX_LINE)):
                        pass
                    yield number, f"{place}: expected lines of at most {MAX_LINE} bytes, found a longer one"
                elif not raw.isspace():
                    yield number, _json_row(raw, place)
                number += 1

    def _sentences(self, piece: Piece, given: Input, kind: str | None) -> Iterator[Sentence]:
        """The sentences of an input, with local numbers; those that cannot be parsed are failures."""
        sentences = read_input(
            given,
            kind,
            self.segmenter,
            sentences=self.sentences,
            prefix=_LOCAL,
            on_invalid=lambda error: self._fail(piece.source.title, str(_moved(error, piece))),
        )
        for sentence in sentences:
            if len(sentence) > MAX_SENTENCE_WORDS:
                problem = f"expected sentences of at most {MAX_SENTENCE_WORDS:,} words, found {len(sentence):,}"
                self._fail(given.title, f"{given.title}: {problem}: {sentence.text[:40]}…")
                sentence = Sentence([])  # it keeps its number, and is not parsed
            yield sentence

    def _fail(self, document: str, reason: str) -> None:
        self.failures.append(Failure(document, reason))


class _PieceInput(Input):
    """The bytes of a piece, as an input of the pipeline."""

    def __init__(self, name: str, piece: Piece) -> None:
        super().__init__(name)
        object.__setattr__(self, "_piece", piece)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with _range(self._piece) as stream:  # type: ignore[attr-defined]
            yield stream


@contextmanager
def _range(piece: Piece) -> Iterator[BinaryIO]:
    """The bytes of a piece; of later text, the line end before it too, which shows that it does not begin a file."""
    with open_binary(piece.source.path) as stream:
        start = piece.start - (_lead(piece) if piece.inside is None else 0)
        if start and stream.seekable():
            stream.seek(start)
        else:
            _skip(stream, start)
        if piece.stop is None:
            yield stream
        else:
            yield cast(BinaryIO, io.BufferedReader(_Limited(stream, piece.stop - start)))


def _lead(piece: Piece) -> int:
    """How many characters before a piece are read with it."""
    return int(piece.position[0] > 0 and (piece.inside is not None or piece.source.kind == "text"))


def _skip(stream: BinaryIO, size: int) -> None:
    while size and (read := len(stream.read(min(size, 1 << 20)))):
        size -= read


class _Limited(io.RawIOBase):
    """So many bytes of a stream."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._stream.read(min(len(buffer), self._left))
        self._left -= len(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _json_row(raw: bytes, place: str) -> dict[str, Any] | str:
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return f"{place}: expected a JSON object ({error})"
    return row if isinstance(row, dict) else f"{place}: expected a JSON object, found {type(row).__name__}"


def _parquet_rows(piece: Piece, text_column: str) -> Iterator[tuple[int, dict[str, Any]]]:
    stop = piece.stop or 0
    with reading(piece.source.title), parquet_file(piece.source, text_column) as file:
        first, groups = 0, []
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if first < stop and first + rows > piece.start:
                groups.append((group, first))
            first += rows
        if not groups:
            return
        row = groups[0][1]
        for batch in file.iter_batches(batch_size=256, row_groups=[group for group, _first in groups]):
            low, high = max(piece.start - row, 0), min(stop - row, len(batch))
            yield from enumerate(batch.slice(low, max(high - low, 0)).to_pylist(), row + low + 1)
            row += len(batch)


def _moved(error: FormatError, piece: Piece) -> FormatError:
    """An error with its line in the whole file."""
    return FormatError(error.source, error.line + piece.line - 1, error.problem)


def _comment_name(column: str) -> str:
    """What a comment calls a column: on one line, and told from the comments of sentences."""
    name = on_one_line(column).replace("=", "_")
    return f"document_{name}" if name in _COMMENTS_OF_SENTENCES or name.startswith(("newdoc", "newpar")) else name
