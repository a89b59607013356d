"""From the scores of columns to the best class of every word."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from pointree.nn.model import Encoding

__all__ = ["PredictedColumns", "best_columns"]


@dataclass(frozen=True, slots=True)
class PredictedColumns:
    """The classes of a sentence's words in each predicted column and, if asked for, their probabilities."""

    numbers: dict[str, list[int]] = field(default_factory=dict)
    probs: dict[str, list[float]] = field(default_factory=dict)


def best_columns(encoding: Encoding, *, probabilities: bool = False) -> list[PredictedColumns]:
    """The best class of every word in every column, sentence by sentence in the order of the batch."""
    found = [PredictedColumns() for _ in encoding.positions.lengths]
    for column, logits in encoding.columns.items():
        for each, numbers in zip(found, _rows(encoding, logits.argmax(dim=1)), strict=True):
            each.numbers[column] = numbers
        if probabilities:
            best = logits.float().softmax(dim=1).amax(dim=1)
            for each, probs in zip(found, _rows(encoding, best), strict=True):
                each.probs[column] = probs
    return found


def _rows(encoding: Encoding, values: Tensor) -> list[list]:  # type: ignore[type-arg]
    """The values of the words of each sentence, without ROOT and padding. *Shape:* ``values`` is ``(n_rows,)``."""
    padded = encoding.positions.pad(values).tolist()
    return [row[1:length] for row, length in zip(padded, encoding.positions.lengths, strict=True)]
