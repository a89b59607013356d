"""Search for the best trees: greedy or beam, batched over sentences and hypotheses, legal by construction."""

from __future__ import annotations

from pointree.options import ParseOptions
from pointree.search.beam import beam_steps
from pointree.search.branch import Branch, Encoded
from pointree.search.combination import combined_trees
from pointree.search.greedy import greedy_steps
from pointree.search.labels import label_trees
from pointree.search.posteriors import posterior_steps
from pointree.search.result import ParseTree, Trees
from pointree.search.resumable import Resumable
from pointree.search.step import StepObserver
from pointree.transitions import Constraints

__all__ = ["ParseTree", "search_steps", "tree_steps"]


def search_steps(encoded: Encoded, options: ParseOptions, root_label: int | None) -> Resumable[list[list[ParseTree]]]:
    """The best trees of every sentence of a batch, in its order; several decoders parse together.

    With a pause after every decoder step.
    """
    if len(encoded.branches) > 1:
        constraints = Constraints.of(options)
        posteriors = yield from posterior_steps(encoded, constraints)
        return [[tree] for tree in combined_trees(posteriors, constraints, root_label)]
    branch = encoded.branch()
    trees = yield from tree_steps(branch, options)
    return label_trees(branch, trees, root_label, options.n_best)


def tree_steps(branch: Branch, options: ParseOptions, observer: StepObserver | None = None) -> Resumable[Trees]:
    """The trees before they have labels; with pauses between decoder steps."""
    constraints = Constraints.of(options)
    if options.width == 1:
        return (yield from greedy_steps(branch, constraints, observer))
    return (yield from beam_steps(branch, constraints, options.width, observer))
