"""Greedy search: every focus word points at its best legal position, for all sentences at once."""

from __future__ import annotations

from pointree.search.branch import Branch
from pointree.search.result import Trees
from pointree.search.resumable import Resumable
from pointree.search.step import StepObserver, Stepper, new_machine
from pointree.transitions import Constraints

__all__ = ["greedy_steps"]


def greedy_steps(branch: Branch, constraints: Constraints, observer: StepObserver | None = None) -> Resumable[Trees]:
    """The tree of the locally best steps of each sentence; pauses after every decoder step."""
    stepper = Stepper.start(branch, beam=1, observer=observer)
    trees = new_machine(branch, constraints)
    heads, log_probs, state_ids = trees.heads, trees.log_probs, trees.state_ids
    for step, count in enumerate(stepper.steps.active):
        if count < trees.heads.shape[0]:
            trees.select(slice(count))  # views: the full tables keep the finished sentences
        focus, new_ids, step_log_probs = stepper.advance(trees, step, width=1)
        best, position = branch.arrays.best(step_log_probs)
        trees.point(focus, position, best, new_ids)
        yield
    return Trees(
        heads=heads[:, None],
        log_probs=log_probs[:, None],
        state_ids=state_ids[:, None],
        scores=log_probs.sum(1)[:, None],
        memory=stepper.memory,
    )
