"""Labels of finished trees, scored for all arcs at once, and the ranking of trees with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pointree.search.arrays import Array, Arrays
from pointree.search.branch import Branch
from pointree.search.distinct import distinct_rows
from pointree.search.result import ParseTree, Trees

__all__ = ["FlatArcs", "arcs_of", "label_log_probs", "label_trees"]


def label_trees(branch: Branch, trees: Trees, root_label: int | None, n_best: int) -> list[list[ParseTree]]:
    """Give every arc its best label and return each sentence's trees, most probable first.

    ``root_label`` is the label that all arcs from ROOT and no others have, if the treebank has such a label.
    """
    arrays, shape = branch.arrays, trees.heads.shape
    arcs, inverse = arcs_of(branch, trees.heads, trees.state_ids), None
    places = arcs.places
    if shape[1] > 1:
        # Trees of a beam have most of their arcs in common: the same decoder state points to the same position.
        pairs = arrays.join((arcs.state_ids[:, None], arcs.rows[:, None]))
        bound = max(trees.memory.shape[0], branch.positions.n_rows)
        chosen, inverse = distinct_rows(arrays, pairs, bound=bound)
        arcs = FlatArcs(*(part[chosen] for part in arcs))
    states = trees.memory[:, 0][arcs.state_ids]
    best, labels = arrays.best(label_log_probs(branch, states, arcs.rows, arcs.from_root, root_label))
    if inverse is not None:
        best, labels = best[inverse], labels[inverse]
    n_places = shape[0] * shape[1] * shape[2]
    best_log_probs, all_labels = arrays.full((n_places,), 0.0, "float"), arrays.full((n_places,), 0, "int")
    best_log_probs[places], all_labels[places] = best[:, 0], labels[:, 0]
    best_log_probs = best_log_probs.reshape(shape)
    scores = trees.scores + best_log_probs.sum(2)
    ranking = arrays.ranking(scores)[:, :n_best]
    ranked = _Ranked(arrays, trees, all_labels.reshape(shape), best_log_probs, scores, ranking)
    return ranked.collect(branch.positions.lengths)


class FlatArcs(NamedTuple):
    """The arcs of many trees in one row. *Shape:* all ``(n_arcs,)``.

    Attributes:
        places: The places of the dependents in the flattened tables of the trees.
        state_ids: The decoder states of the steps that made them.
        rows: The rows of the positions that these pointed at: heads or, top-down, dependents.
        from_root: Whether the head is ROOT.
    """

    places: Array
    state_ids: Array
    rows: Array
    from_root: Array


def arcs_of(branch: Branch, heads: Array, state_ids: Array) -> FlatArcs:
    """The arcs of trees. *Shape:* both ``(batch_size, width, n_positions)``."""
    arrays, batch_size = branch.arrays, heads.shape[0]
    table = arrays.from_numpy(branch.positions.table)
    if branch.order.is_top_down:
        rows = arrays.full(heads.shape, 0, "int") + table[:, None]
    else:
        rows = arrays.gather(table, heads.reshape(batch_size, -1))
    flat = state_ids.flatten()
    places = arrays.nonzero(flat > 0)
    return FlatArcs(places, flat[places], rows.flatten()[places], heads.flatten()[places] == 0)


def label_log_probs(branch: Branch, states: Array, rows: Array, from_root: Array, root_label: int | None) -> Array:
    """The distribution over labels of each arc.

    *Shape:* ``states`` ``(n_arcs, size)``, ``rows`` and ``from_root`` ``(n_arcs,)``, as in `FlatArcs`; returns
    ``(n_arcs, n_labels)``.
    """
    arrays = branch.arrays
    logits = arrays.finite(branch.label_logits(states, rows))
    if root_label is not None:
        # Arcs from ROOT have the root label, and only they do.
        is_root_label = arrays.arange(0, logits.shape[1]) == root_label
        logits = arrays.where(from_root[:, None] == is_root_label, logits, float("-inf"))
    return arrays.log_softmax(logits)


class _Ranked:
    """Trees with their labels, on their way to plain lists.

    *Shape:* as those of `Trees`; ``ranking`` is ``(batch_size, n_best)``.
    """

    def __init__(
        self, arrays: Arrays, trees: Trees, labels: Array, label_log_probs: Array, scores: Array, ranking: Array
    ) -> None:
        sentences = arrays.arange(0, ranking.shape[0])[:, None]
        self.heads, self.labels = trees.heads[sentences, ranking].tolist(), labels[sentences, ranking].tolist()
        self.head_probs = arrays.exp(trees.log_probs[sentences, ranking]).tolist()
        self.label_probs = arrays.exp(label_log_probs[sentences, ranking]).tolist()
        self.scores = scores[sentences, ranking].tolist()

    def collect(self, lengths: Sequence[int]) -> list[list[ParseTree]]:
        """The trees of each sentence, without padding and without trees that do not exist."""
        return [
            [
                ParseTree(
                    heads=self.heads[sentence][rank][1:length],
                    labels=self.labels[sentence][rank][1:length],
                    head_probs=self.head_probs[sentence][rank][1:length],
                    label_probs=self.label_probs[sentence][rank][1:length],
                    log_prob=score,
                )
                for rank, score in enumerate(self.scores[sentence])
                if rank == 0 or score != float("-inf")
            ]
            for sentence, length in enumerate(lengths)
        ]
