"""The tree of several opinions: the greatest product of mean posteriors, each arc with its best label.

The opinions are those of the orders of one model, or of several models. The tree is a maximum spanning tree or, if
asked, a maximum projective tree, with one root word unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pointree.search.posteriors import Floats, MeanPosteriors
from pointree.search.projective_tree import maximum_projective_tree
from pointree.search.result import ParseTree
from pointree.search.spanning_tree import maximum_spanning_tree
from pointree.transitions import Constraints

__all__ = ["best_heads", "combined_trees", "labelled_trees"]

_LEAST_PROBABILITY = 1e-30
"""Keeps the log of a posterior finite."""


def combined_trees(posteriors: MeanPosteriors, constraints: Constraints, root_label: int | None) -> list[ParseTree]:
    """The best tree of each sentence of a batch, by the decoders of one model together."""
    lengths = [length - 1 for length in posteriors.encoded.positions.lengths]
    means = posteriors.heads()
    heads = best_heads(means, lengths, constraints)
    return labelled_trees(means, heads, posteriors.labels(heads, root_label), lengths)


def best_heads(means: Floats, lengths: Sequence[int], constraints: Constraints) -> NDArray[np.int64]:
    """The heads of the best tree of each sentence, given the words of each.

    *Shape:* ``means`` is ``(batch_size, n_positions, n_positions)``; returns ``(batch_size, n_positions)``.
    """
    scores = np.log(np.maximum(means, _LEAST_PROBABILITY))
    build = maximum_projective_tree if constraints.projective else maximum_spanning_tree
    heads = np.zeros(means.shape[:2], dtype=np.int64)
    for row, n in enumerate(lengths):
        heads[row, 1 : n + 1] = build(scores[row, 1 : n + 1, : n + 1], single_root=constraints.single_root)
    return heads


def labelled_trees(means: Floats, heads: NDArray[np.int64], labels: Floats, lengths: Sequence[int]) -> list[ParseTree]:
    """The trees as plain values, every arc with its best label.

    *Shape:* ``labels`` is ``(batch_size, n_positions, n_labels)``.
    """
    best = labels.argmax(axis=2)
    label_probs = np.take_along_axis(labels, best[:, :, np.newaxis], axis=2)[:, :, 0]
    head_probs = np.take_along_axis(means, heads[:, :, np.newaxis], axis=2)[:, :, 0]
    log_probs = np.log(np.maximum([head_probs, label_probs], _LEAST_PROBABILITY)).sum(axis=0)
    return [
        ParseTree(
            heads=heads[row, 1 : n + 1].tolist(),
            labels=best[row, 1 : n + 1].tolist(),
            head_probs=head_probs[row, 1 : n + 1].tolist(),
            label_probs=label_probs[row, 1 : n + 1].tolist(),
            log_prob=float(log_probs[row, 1 : n + 1].sum()),
        )
        for row, n in enumerate(lengths)
    ]
