"""The probabilities of teachers on disk: computed once, mapped into memory, and kept until the run has ended.

They are large, and computing them takes about as long as some epochs. The folder has two files:

about.json          whose probabilities of which sentences they are, and how many of these sentences are done
probabilities.npy   numbers of 16 bits: the sentences in the order in which the teachers parse them. A sentence of n
                    words has n · (n + 1) probabilities of heads, and then n · n_labels of labels

Probabilities reach the disk before they are counted, so what a killed process leaves behind is simply overwritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pointree.errors import TrainingError
from pointree.files import atomic_write, remove_leftovers, writing

__all__ = ["Probabilities", "TeacherFile", "remove_teacher_file"]

Probabilities = NDArray[np.float16]

ABOUT, PROBABILITIES = "about.json", "probabilities.npy"

SAVED_SECONDS = 60.0
"""How long teachers parse before what they said is counted: the most that is lost when a run is killed."""

_FORMAT = 1
_COUNT = "sentences_done"


class TeacherFile:
    """The folder of a run; ``about`` says what the probabilities depend on, beside the ``order`` of the sentences.

    Attributes:
        done: How many sentences, in their order, have probabilities.
    """

    def __init__(
        self, folder: Path, lengths: Sequence[int], order: Sequence[int], n_labels: int, about: Mapping[str, str]
    ) -> None:
        self.folder = folder
        self.lengths = np.asarray(lengths, dtype=np.int64)
        self.n_labels = n_labels
        numbers = np.asarray(order, dtype="<i8")
        self.about = {"format": _FORMAT, "order": hashlib.sha256(numbers.tobytes()).hexdigest(), **about}
        sizes = self.lengths * (self.lengths + 1 + n_labels)
        self._ends = np.concatenate([[0], np.cumsum(sizes[numbers])])
        self._starts = np.empty_like(sizes)
        self._starts[numbers] = self._ends[:-1]
        header = io.BytesIO()
        shape = (int(self._ends[-1]),)
        np.lib.format.write_array_header_1_0(header, {"descr": "<f2", "fortran_order": False, "shape": shape})
        self._header = header.getvalue()
        self._values: Probabilities | None = None
        self.done = self._count()

    @property
    def path(self) -> Path:
        """The file of the probabilities."""
        return self.folder / PROBABILITIES

    def _count(self) -> int:
        """How many sentences earlier parts of the run have done; a damaged or truncated file counts for nothing."""
        path = self.folder / ABOUT
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            about = {name: value for name, value in found.items() if name != _COUNT}
            done = int(found[_COUNT])
            is_there = 0 <= done < len(self._ends) and self.path.stat().st_size >= self._place(done)
        except (OSError, ValueError, AttributeError, KeyError, TypeError):
            return 0
        if different := [name for name in {**self.about, **about} if self.about.get(name) != about.get(name)]:
            raise TrainingError(
                f"{path}: the probabilities of the teachers were computed with other {', '.join(different)} than given "
                f"now; to compute them again, remove {self.folder}"
            )
        return done if is_there else 0

    def _place(self, done: int) -> int:
        """The byte after some sentences."""
        return len(self._header) + 2 * int(self._ends[done])

    def extend(self, batches: Iterable[Sequence[tuple[Probabilities, Probabilities]]]) -> None:
        """Write the heads and labels of all sentences that are not done, batch after batch."""
        with writing(self.path):
            self.folder.mkdir(exist_ok=True)
            remove_leftovers(self.folder)
            if not self.done:
                self.path.write_bytes(self._header)
            with open(self.path, "r+b") as stream:
                stream.truncate(self._place(self.done))
                stream.seek(0, os.SEEK_END)
                self._save(stream)
                saved = time.perf_counter()
                for batch in batches:
                    for sentence in batch:
                        for values in sentence:
                            stream.write(np.ascontiguousarray(values, dtype="<f2").tobytes())
                    self.done += len(batch)
                    if time.perf_counter() - saved >= SAVED_SECONDS:
                        self._save(stream)
                        saved = time.perf_counter()
                self._save(stream)

    def _save(self, stream: BinaryIO) -> None:
        stream.flush()
        os.fsync(stream.fileno())
        with atomic_write(self.folder / ABOUT) as about:
            json.dump({**self.about, _COUNT: self.done}, about, indent=2)

    def heads(self, number: int) -> Probabilities:
        """The probabilities of all heads of the words of a sentence. *Shape:* ``(n, n + 1)``."""
        n_words = int(self.lengths[number])
        return self._read(int(self._starts[number]), n_words, n_words + 1)

    def labels(self, number: int) -> Probabilities:
        """The distributions over labels of the words of a sentence. *Shape:* ``(n, n_labels)``."""
        n_words = int(self.lengths[number])
        return self._read(int(self._starts[number]) + n_words * (n_words + 1), n_words, self.n_labels)

    def _read(self, start: int, n_rows: int, n_columns: int) -> Probabilities:
        if self._values is None:
            try:
                self._values = np.load(self.path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            except (OSError, ValueError) as error:
                raise TrainingError(f"{self.path}: cannot be read: {error}; remove {self.folder}") from None
        return self._values[start : start + n_rows * n_columns].reshape(n_rows, n_columns)


def remove_teacher_file(folder: Path) -> None:
    """Remove what a `TeacherFile` has written; files of others stay."""
    for name in (ABOUT, PROBABILITIES):
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
