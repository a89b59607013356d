"""Greedy search: every focus word gets its best legal head, for all sentences at once."""

from __future__ import annotations

from pointree.nn.model import Encoding, PointerNetwork
from pointree.search.result import Trees
from pointree.search.resumable import Resumable, run_to_end
from pointree.search.state import BatchedTrees
from pointree.search.step import StepObserver, Stepper
from pointree.transitions import Constraints, Order

__all__ = ["greedy_search", "greedy_steps"]


def greedy_search(
    network: PointerNetwork,
    encoding: Encoding,
    order: Order,
    constraints: Constraints,
    observer: StepObserver | None = None,
) -> Trees:
    """The tree of the locally best heads of each sentence."""
    return run_to_end(greedy_steps(network, encoding, order, constraints, observer))


def greedy_steps(
    network: PointerNetwork,
    encoding: Encoding,
    order: Order,
    constraints: Constraints,
    observer: StepObserver | None = None,
) -> Resumable[Trees]:
    """The same search, with a pause after every decoder step."""
    stepper = Stepper.start(network, encoding, order, beam=1, observer=observer)
    trees = BatchedTrees(stepper.lengths, stepper.initial_ids, network.slots, constraints)
    heads, log_probs, state_ids = trees.heads, trees.log_probs, trees.state_ids
    for step, count in enumerate(stepper.steps.active):
        if count < trees.tops.shape[0]:
            trees.select(slice(count))  # views: the full tables keep the finished sentences
        focus, new_ids, step_log_probs = stepper.advance(trees, step, width=1)
        best, head = step_log_probs.max(dim=1, keepdim=True)
        trees.attach(focus, head, best, new_ids)
        yield
    return Trees(
        heads=heads.unsqueeze(1),
        log_probs=log_probs.unsqueeze(1),
        state_ids=state_ids.unsqueeze(1),
        scores=log_probs.sum(dim=1, keepdim=True),
        memory=stepper.memory,
    )
