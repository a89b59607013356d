"""Labels of finished trees, scored for all arcs at once, and the ranking of trees with their labels."""

from __future__ import annotations

import torch
from torch import Tensor

from pointree.nn.model import Encoding, PointerNetwork
from pointree.search.distinct import distinct_rows
from pointree.search.result import ParseTree, Trees

__all__ = ["label_log_probs", "label_trees"]


def label_trees(
    network: PointerNetwork, encoding: Encoding, trees: Trees, root_label: int | None, n_best: int
) -> list[list[ParseTree]]:
    """Give every arc its best label and return each sentence's trees, most probable first.

    ``root_label`` is the label that all arcs from ROOT and no others have, if the treebank has such a label.
    """
    shape = trees.heads.shape
    head_rows = encoding.positions.padding_index.gather(1, trees.heads.flatten(1)).flatten()
    state_ids = trees.state_ids.flatten()
    places = (state_ids > 0).nonzero().squeeze(1)
    state_ids, heads, head_rows = (x.index_select(0, places) for x in (state_ids, trees.heads.flatten(), head_rows))
    inverse = None
    if shape[1] > 1:
        # Trees of a beam have most of their arcs in common: the same decoder state points to the same head.
        chosen, inverse = distinct_rows(torch.stack((state_ids, heads), dim=1), bound=len(trees.memory))
        state_ids, heads, head_rows = state_ids[chosen], heads[chosen], head_rows[chosen]
    best, labels = label_log_probs(
        network,
        trees.memory[:, 0].index_select(0, state_ids),
        encoding.label_heads.index_select(0, head_rows),
        heads == 0,
        root_label,
    ).max(dim=1)
    if inverse is not None:
        best, labels = best[inverse], labels[inverse]
    best_log_probs = trees.log_probs.new_zeros(shape.numel()).index_copy(0, places, best)
    all_labels = labels.new_zeros(shape.numel()).index_copy(0, places, labels)
    scores = trees.scores + best_log_probs.view(shape).sum(dim=2)
    ranking = scores.argsort(dim=1, descending=True, stable=True)
    return _collect(trees, all_labels.view(shape), best_log_probs.view(shape), scores, ranking[:, :n_best], encoding)


def label_log_probs(
    network: PointerNetwork, states: Tensor, label_heads: Tensor, from_root: Tensor, root_label: int | None
) -> Tensor:
    """The distribution over labels of each arc.

    *Shape:* ``states`` of the dependents ``(n_arcs, size)``, ``label_heads`` as in `Encoding` ``(n_arcs, label_size)``
    and ``from_root`` ``(n_arcs,)``; returns ``(n_arcs, n_labels)``.
    """
    logits: Tensor = network.labels(network.labels.dependent(states), label_heads)
    logits = logits.float().nan_to_num(nan=0.0, posinf=1e30, neginf=-1e30)
    if root_label is not None:
        logits = _keep_root_label(logits, from_root, root_label)
    return logits.log_softmax(dim=1)


def _keep_root_label(logits: Tensor, from_root: Tensor, root_label: int) -> Tensor:
    """Arcs from ROOT have the root label, and only they do."""
    is_root_label = torch.arange(logits.shape[1], device=logits.device) == root_label
    return logits.masked_fill(from_root.unsqueeze(1) != is_root_label, float("-inf"))


def _collect(
    trees: Trees, labels: Tensor, label_log_probs: Tensor, scores: Tensor, ranking: Tensor, encoding: Encoding
) -> list[list[ParseTree]]:
    """Bring tensors to plain lists, dropping padding and trees that do not exist."""
    index = ranking.unsqueeze(2).expand(-1, -1, labels.shape[2])
    all_heads = trees.heads.gather(1, index).tolist()
    all_labels = labels.gather(1, index).tolist()
    head_probs = trees.log_probs.gather(1, index).exp().tolist()
    label_probs = label_log_probs.gather(1, index).exp().tolist()
    all_scores = scores.gather(1, ranking).tolist()
    result = []
    for sentence, length in enumerate(encoding.positions.lengths):
        result.append(
            [
                ParseTree(
                    heads=all_heads[sentence][rank][1:length],
                    labels=all_labels[sentence][rank][1:length],
                    head_probs=head_probs[sentence][rank][1:length],
                    label_probs=label_probs[sentence][rank][1:length],
                    log_prob=score,
                )
                for rank, score in enumerate(all_scores[sentence])
                if rank == 0 or score != float("-inf")
            ]
        )
    return result
