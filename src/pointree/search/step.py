"""One step of any search: decoder state, pointer scores, legal positions, log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pointree.batches.layout import Layout
from pointree.search.arrays import Array
from pointree.search.branch import Branch
from pointree.search.distinct import distinct_rows
from pointree.search.machine import Machine
from pointree.search.stacks import BatchedStacks
from pointree.search.state import BatchedTrees
from pointree.transitions import Constraints

__all__ = ["StepObserver", "StepScores", "Stepper", "new_machine"]


@dataclass(frozen=True, slots=True)
class StepScores:
    """The results of a step, for an observer of the search.

    *Shape:* ``focus`` is ``(n_rows, 1)``, ``state_ids`` ``(n_rows,)``; ``logits`` (of all positions), ``legal`` and
    ``log_probs`` (over legal positions) are ``(n_rows, n_positions)``; ``gates`` is that of `Step`.
    """

    focus: Array
    state_ids: Array
    logits: Array
    legal: Array
    log_probs: Array
    gates: Array | None


class StepObserver(Protocol):
    """Called at every step of a search, before positions are chosen."""

    def __call__(self, trees: Machine, scores: StepScores) -> None:
        """Look at a step; copy what you keep of the trees, which change after the call."""


@dataclass(slots=True)
class Stepper:
    """Runs the decoder over a batch whose sentences are sorted by length, longest first.

    Attributes:
        steps: The layout of the steps: the sentences that are still running are always the first ones.
        turns: The focus word of each sentence at each step and its row among the positions, ``(batch_size, n_steps)``
            both; None if focus words depend on the hypothesis.
        table: The row of each position, ``(batch_size, n_positions)``.
        memory: All decoder states (see `Branch`), filled up to ``size``.
        observer: Called at every step, if given.
    """

    branch: Branch
    steps: Layout
    turns: tuple[Array, Array] | None
    table: Array
    memory: Array
    size: int
    observer: StepObserver | None = None

    @classmethod
    def start(cls, branch: Branch, beam: int, observer: StepObserver | None = None) -> Stepper:
        """Prepare the search over an encoded batch."""
        arrays, positions = branch.arrays, branch.positions
        steps = Layout.of_lengths([branch.order.n_steps(length - 1) for length in positions.lengths])
        turns = None
        if not branch.order.is_top_down:
            focus = np.zeros((steps.batch_size, steps.n_steps), dtype=np.int64)
            for sentence, n in enumerate(steps.lengths):
                focus[sentence, :n] = branch.order.focus_sequence(n)
            rows = np.take_along_axis(positions.table, focus, axis=1)
            turns = (arrays.from_numpy(focus), arrays.from_numpy(rows))
        return cls(
            branch=branch,
            steps=steps,
            turns=turns,
            table=arrays.from_numpy(positions.table),
            memory=branch.new_memory(steps.n_rows * beam),
            size=1 + steps.batch_size,
            observer=observer,
        )

    def advance(self, trees: Machine, step: int, width: int) -> tuple[Array, Array, Array]:
        """Score all positions that the step's focus words may point at.

        *Shape:* with ``n_rows`` = running sentences · ``width``: returns the focus words ``(n_rows, 1)``, the ids of
        their new decoder states ``(n_rows,)``, and log-probabilities over legal positions ``(n_rows, n_positions)``,
        -inf where a position is not legal.
        """
        arrays, count = self.branch.arrays, self.steps.active[step]
        focus, rows = self._turn(trees, step, width)
        start = self.size
        sources, inverse = trees.sources(focus), None
        if width > 1 and self.observer is None:
            # A decoder state depends only on its focus word and the states that it reads. Hypotheses with the same
            # ones share the new state, even if their trees differ elsewhere. In a fixed order, focus words are alike.
            if self.turns is not None:
                chosen, inverse = distinct_rows(arrays, sources, bound=start)
            else:
                keys = arrays.join((sources, rows[:, None]))
                chosen, inverse = distinct_rows(arrays, keys, bound=max(start, self.branch.positions.n_rows))
            sources, rows = sources[chosen], rows[chosen]
        queries, gates = self.branch.step(self.memory, sources, rows, start)
        self.size += sources.shape[0]
        state_ids = arrays.arange(start, self.size)
        if inverse is not None:
            queries, state_ids = queries[inverse], state_ids[inverse]
        # Scores must stay comparable whatever the weights are: a search that meets NaN still returns a tree, and the
        # log-probability of a legal position must stay above the -inf of illegal ones.
        logits = arrays.finite(self.branch.point(queries, count))
        legal = trees.legal(focus)
        log_probs = arrays.log_softmax(arrays.where(legal, logits, float("-inf")))
        if self.observer is not None:
            self.observer(trees, StepScores(focus, state_ids, logits, legal, log_probs, gates))
        return focus, state_ids, log_probs

    def _turn(self, trees: Machine, step: int, width: int) -> tuple[Array, Array]:
        """The focus words of a step and their rows among the positions. *Shape:* ``(n_rows, 1)`` and ``(n_rows,)``."""
        arrays, count = self.branch.arrays, self.steps.active[step]
        if self.turns is None:
            own: Array = trees.focus
            return own, arrays.gather(self.table[:count], own.reshape(count, width)).flatten()
        focus, rows = self.turns[0][:count, step], self.turns[1][:count, step]
        if width > 1:
            focus, rows = arrays.repeat(focus, width), arrays.repeat(rows, width)
        return focus[:, None], rows


def new_machine(branch: Branch, constraints: Constraints) -> Machine:
    """The machine of a decoder, with one hypothesis without arcs for each sentence."""
    machine = BatchedStacks if branch.order.is_top_down else BatchedTrees
    lengths = [length - 1 for length in branch.positions.lengths]
    return machine(branch.arrays, lengths, branch.slots, constraints)
