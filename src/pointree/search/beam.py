"""Beam search: the best partial trees of every sentence advance together, for all sentences at once."""

from __future__ import annotations

from pointree.search.branch import Branch
from pointree.search.result import Trees
from pointree.search.resumable import Resumable
from pointree.search.step import StepObserver, Stepper, new_machine
from pointree.transitions import Constraints

__all__ = ["beam_steps"]

_NEVER = float("-inf")


def beam_steps(
    branch: Branch, constraints: Constraints, beam: int, observer: StepObserver | None = None
) -> Resumable[Trees]:
    """Up to ``beam`` trees of each sentence, most probable first; pauses after every decoder step.

    Hypotheses of a sentence differ in at least one step, and a tree has one sequence of steps, so their trees are
    distinct. The width starts at one and grows with the number of trees. If a sentence has fewer trees than the width,
    its best one is repeated with a score of -inf, so that every row is a legal tree.
    """
    arrays, stepper = branch.arrays, Stepper.start(branch, beam, observer)
    steps = stepper.steps
    trees = new_machine(branch, constraints)
    n_positions = trees.heads.shape[1]
    shape = (steps.batch_size, beam, n_positions)
    heads, state_ids = arrays.full(shape, 0, "int"), arrays.full(shape, 0, "int")
    log_probs = arrays.full(shape, 0.0, "float")
    scores = arrays.full(shape[:2], _NEVER, "float")
    running_scores = arrays.full((steps.batch_size, 1), 0.0, "float")
    width = 1
    for step, count in enumerate(steps.active):
        if count < running_scores.shape[0]:
            trees.select(slice(count * width))
            running_scores = running_scores[:count]
        focus, new_ids, step_log_probs = stepper.advance(trees, step, width)
        candidates = running_scores[:, :, None] + step_log_probs.reshape(count, width, n_positions)
        new_width = min(beam, width * n_positions)
        running_scores, chosen = arrays.top(candidates.reshape(count, -1), new_width)
        chosen = arrays.where(running_scores == _NEVER, chosen[:, :1], chosen)
        first_rows = width * arrays.arange(0, count)[:, None]
        rows = (first_rows + chosen // n_positions).flatten()
        position = (chosen % n_positions).reshape(-1, 1)
        trees.select(rows)
        width = new_width
        log_prob = arrays.gather(step_log_probs[rows], position)
        trees.point(focus[rows], position, log_prob, new_ids[rows])
        still_running = steps.active[step + 1] if step + 1 < steps.n_steps else 0
        if still_running < count:
            finished = slice(still_running, count)
            heads[finished, :width] = trees.heads.reshape(count, width, -1)[finished]
            state_ids[finished, :width] = trees.state_ids.reshape(count, width, -1)[finished]
            log_probs[finished, :width] = trees.log_probs.reshape(count, width, -1)[finished]
            scores[finished, :width] = running_scores[finished]
        yield
    return Trees(heads, log_probs, state_ids, scores, stepper.memory)
