"""What a search returns: trees of every sentence, best first, with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field

from pointree.search.arrays import Array
from pointree.search.columns import PredictedColumns

__all__ = ["ParseTree", "Trees"]


@dataclass(frozen=True, slots=True)
class Trees:
    """Unlabelled trees of a batch, as the search left them.

    *Shape:* ``heads``, ``log_probs`` (of each arc) and ``state_ids`` (of each word's decoder state) are ``(batch_size,
    width, n_positions)``; ``scores``, the log-probability of all arcs together, is ``(batch_size, width)`` and -inf
    where there are fewer trees. ``memory`` holds the decoder states, ``(n_states, 2, size)``.
    """

    heads: Array
    log_probs: Array
    state_ids: Array
    scores: Array
    memory: Array


@dataclass(frozen=True, slots=True)
class ParseTree:
    """One labelled tree of a sentence: heads, labels and their probabilities for words 1 … n.

    ``log_prob`` is the log-probability of the tree, arcs and labels together; ``columns`` is what the network predicts
    besides the tree.
    """

    heads: list[int]
    labels: list[int]
    head_probs: list[float]
    label_probs: list[float]
    log_prob: float
    columns: PredictedColumns = field(default_factory=PredictedColumns)
