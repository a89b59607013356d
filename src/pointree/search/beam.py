"""Beam search: the best partial trees of every sentence advance together, for all sentences at once."""

from __future__ import annotations

import torch

from pointree.nn.model import Encoding, PointerNetwork
from pointree.search.result import Trees
from pointree.search.resumable import Resumable, run_to_end
from pointree.search.state import BatchedTrees
from pointree.search.step import StepObserver, Stepper
from pointree.transitions import Constraints, Order

__all__ = ["beam_search", "beam_steps"]


def beam_search(
    network: PointerNetwork,
    encoding: Encoding,
    order: Order,
    constraints: Constraints,
    beam: int,
    observer: StepObserver | None = None,
) -> Trees:
    """Up to ``beam`` trees of each sentence, most probable first.

    Hypotheses of a sentence differ in at least one head, so their trees are distinct. The width starts at one and
    grows with the number of trees. If a sentence has fewer trees than the width, its best one is repeated with a score
    of -inf, so that every row is a legal tree.
    """
    return run_to_end(beam_steps(network, encoding, order, constraints, beam, observer))


def beam_steps(
    network: PointerNetwork,
    encoding: Encoding,
    order: Order,
    constraints: Constraints,
    beam: int,
    observer: StepObserver | None = None,
) -> Resumable[Trees]:
    """The same search, with a pause after every decoder step."""
    stepper = Stepper.start(network, encoding, order, beam, observer)
    steps = stepper.steps
    trees = BatchedTrees(stepper.lengths, stepper.initial_ids, network.slots, constraints)
    n_positions = trees.tops.shape[1]
    shape = (steps.batch_size, beam, n_positions)
    heads = trees.heads.new_zeros(shape)
    state_ids = trees.state_ids.new_zeros(shape)
    log_probs = trees.log_probs.new_zeros(shape)
    scores = trees.log_probs.new_full(shape[:2], float("-inf"))
    running_scores = trees.log_probs.new_zeros(steps.batch_size, 1)
    width = 1
    for step, count in enumerate(steps.active):
        if count < running_scores.shape[0]:
            trees.select(slice(count * width))
            running_scores = running_scores[:count]
        focus, new_ids, step_log_probs = stepper.advance(trees, step, width)
        candidates = running_scores.unsqueeze(2) + step_log_probs.view(count, width, n_positions)
        new_width = min(beam, width * n_positions)
        running_scores, chosen = candidates.flatten(1).topk(new_width, dim=1)
        chosen = torch.where(running_scores == float("-inf"), chosen[:, :1], chosen)
        first_rows = torch.arange(0, count * width, width, device=chosen.device).unsqueeze(1)
        rows = (first_rows + chosen.div(n_positions, rounding_mode="floor")).flatten()
        head = chosen.remainder(n_positions).view(-1, 1)
        trees.select(rows)
        width = new_width
        log_prob = step_log_probs[rows].gather(1, head)
        trees.attach(focus[rows], head, log_prob, new_ids[rows])
        still_running = steps.active[step + 1] if step + 1 < steps.n_steps else 0
        if still_running < count:
            finished = slice(still_running, count)
            heads[finished, :width] = trees.heads.view(count, width, -1)[finished]
            state_ids[finished, :width] = trees.state_ids.view(count, width, -1)[finished]
            log_probs[finished, :width] = trees.log_probs.view(count, width, -1)[finished]
            scores[finished, :width] = running_scores[finished]
        yield
    return Trees(heads, log_probs, state_ids, scores, stepper.memory)
