"""Search for the best trees: greedy or beam, batched over sentences and hypotheses, legal by construction."""

from __future__ import annotations

from pointree.nn.model import Encoding, PointerNetwork
from pointree.options import ParseOptions
from pointree.search.beam import beam_search
from pointree.search.greedy import greedy_search
from pointree.search.labels import label_trees
from pointree.search.result import ParseTree, Trees
from pointree.search.step import StepObserver
from pointree.transitions import Constraints, Order

__all__ = ["ParseTree", "StepObserver", "Trees", "find_trees", "search"]


def search(
    network: PointerNetwork, encoding: Encoding, order: Order, options: ParseOptions, root_label: int | None
) -> list[list[ParseTree]]:
    """The best trees of every sentence of a batch, in the order of the batch."""
    trees = find_trees(network, encoding, order, options)
    return label_trees(network, encoding, trees, root_label, options.n_best)


def find_trees(
    network: PointerNetwork,
    encoding: Encoding,
    order: Order,
    options: ParseOptions,
    observer: StepObserver | None = None,
) -> Trees:
    """The trees before they have labels."""
    constraints = Constraints(single_root=options.single_root, projective=options.projective)
    if options.width == 1:
        return greedy_search(network, encoding, order, constraints, observer)
    return beam_search(network, encoding, order, constraints, options.width, observer)
