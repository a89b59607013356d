"""From the scores of columns to the best class of every word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pointree.search.arrays import Array
from pointree.search.branch import Encoded

__all__ = ["PredictedColumns", "best_columns"]


@dataclass(frozen=True, slots=True)
class PredictedColumns:
    """The classes of a sentence's words in each predicted column and, if asked for, their probabilities."""

    numbers: dict[str, list[int]] = field(default_factory=dict)
    probs: dict[str, list[float]] = field(default_factory=dict)


def best_columns(encoded: Encoded, *, probabilities: bool = False) -> list[PredictedColumns]:
    """The best class of every word in every column, sentence by sentence in the order of the batch."""
    arrays = encoded.branch().arrays
    found = [PredictedColumns() for _ in encoded.positions.lengths]
    for column, logits in encoded.columns.items():
        best, numbers = arrays.best(logits)
        for each, own in zip(found, _rows(encoded, numbers), strict=True):
            each.numbers[column] = own
        if probabilities:
            best, _numbers = arrays.best(arrays.exp(arrays.log_softmax(arrays.finite(logits))))
            for each, probs in zip(found, _rows(encoded, best), strict=True):
                each.probs[column] = probs
    return found


def _rows(encoded: Encoded, values: Array) -> list[list[Any]]:
    """The values of the words of each sentence, without ROOT and padding. *Shape:* ``values`` is ``(n_rows, 1)``."""
    table = values[:, 0][encoded.branch().arrays.from_numpy(encoded.positions.table)].tolist()
    return [row[1:length] for row, length in zip(table, encoded.positions.lengths, strict=True)]
