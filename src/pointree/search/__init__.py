"""Search for the best trees: greedy or beam, batched over sentences and hypotheses, legal by construction."""

from __future__ import annotations

from pointree.nn.model import Encoding, PointerNetwork
from pointree.search.beam import beam_search
from pointree.search.greedy import greedy_search
from pointree.search.labels import label_trees
from pointree.search.result import ParseTree, SearchOptions, Trees
from pointree.transitions import Constraints, Order

__all__ = ["ParseTree", "SearchOptions", "Trees", "search"]


def search(
    network: PointerNetwork, encoding: Encoding, order: Order, options: SearchOptions, root_label: int | None
) -> list[list[ParseTree]]:
    """The best trees of every sentence of a batch, in the order of the batch."""
    constraints = Constraints(single_root=options.single_root, projective=options.projective)
    if options.beam_width == 1:
        trees = greedy_search(network, encoding, order, constraints)
    else:
        trees = beam_search(network, encoding, order, constraints, options.beam_width)
    return label_trees(network, encoding, trees, root_label, options.n_best)
