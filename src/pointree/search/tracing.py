"""A search with a recorder as its observer, whose records become `TraceStep` objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.options import ParseOptions
from pointree.search import tree_steps
from pointree.search.arrays import Array
from pointree.search.branch import Branch, Encoded
from pointree.search.labels import label_log_probs, label_trees
from pointree.search.machine import Machine
from pointree.search.result import ParseTree, Trees
from pointree.search.resumable import Resumable
from pointree.search.step import StepScores
from pointree.search.trace import GateOpening, Hypothesis, IllegalHead, LabelProb, StateRead, TraceStep
from pointree.transitions import (
    Constraints,
    PartialTree,
    PointingStep,
    Relative,
    Slot,
    TransitionSystem,
    pointing_steps,
)
from pointree.transitions.reasons import Reason, illegal_heads, illegal_positions
from pointree.transitions.top_down import TopDownState

__all__ = ["trace_steps"]

SLOT_NAMES: dict[Slot | Relative, str] = {
    Slot.LEFTMOST: "leftmost",
    Slot.RIGHTMOST: "rightmost",
    Slot.LAST_LEFT: "last-left",
    Slot.LAST_RIGHT: "last-right",
}
RELATIVE_NAMES: dict[Slot | Relative, str] = {Relative.PARENT: "parent", Relative.SIBLING: "sibling"}


def trace_steps(
    encoded: Encoded,
    options: ParseOptions,
    root_label: int | None,
    *,
    forms: Sequence[str],
    deprels: Sequence[str],
    top_labels: int,
) -> Resumable[tuple[ParseTree, list[TraceStep]]]:
    """Parse a batch of one sentence and return its best tree with the steps that led there; with pauses.

    ``forms`` are those of ROOT and the words, for explanations; ``deprels`` the names of the labels.
    """
    branch, recorder = encoded.branch(), _Recorder()
    trees = yield from tree_steps(branch, options, recorder)
    [[best, *_]] = label_trees(branch, trees, root_label, n_best=1)
    system = TransitionSystem(branch.order, branch.slots)
    story = _Story(branch, options, recorder.moments, trees, best, pointing_steps(best.heads, system))
    constraints = Constraints.of(options)
    replay = _Replay(branch, len(best.heads), constraints)
    steps = []
    for number, (moment, step) in enumerate(zip(story.moments, story.steps, strict=True)):
        row, reasons = story.rows[number], replay.reasons(step)
        replay.take(step)
        probs = branch.arrays.exp(moment.scores.log_probs[row]).tolist()
        dependent = step.dependent or None
        steps.append(
            TraceStep(
                number=number + 1,
                focus=step.focus,
                position=step.position,
                dependent=dependent,
                raw_probs=branch.arrays.exp(branch.arrays.log_softmax(moment.scores.logits[row : row + 1]))[0].tolist(),
                probs=probs,
                illegal=[
                    IllegalHead(position, str(reason.rule), list(reason.words), reason.explain(forms))
                    for position, broken in reasons.items()
                    for reason in broken
                ],
                sources=list(story.sources(number)),
                gate=story.gate(number),
                head=None if dependent is None else best.heads[dependent - 1],
                head_prob=probs[step.position] if dependent is None else best.head_probs[dependent - 1],
                labels=[] if dependent is None else story.labels(number, root_label, deprels, top_labels),
                heads=replay.tree.heads[1:],
                hypotheses=list(story.hypotheses(number)),
            )
        )
        yield
    return best, steps


class _Replay:
    """The steps once more, one by one in pure Python, which can say why a position is illegal."""

    def __init__(self, branch: Branch, n: int, constraints: Constraints) -> None:
        self.constraints = constraints
        self.state = TopDownState(n) if branch.order.is_top_down else None
        self.tree = PartialTree(n) if self.state is None else self.state.tree

    def reasons(self, step: PointingStep) -> dict[int, list[Reason]]:
        """The positions that are illegal at a step, and why."""
        if self.state is not None:
            return illegal_positions(self.state, self.constraints)
        return illegal_heads(self.tree, step.focus, self.constraints)

    def take(self, step: PointingStep) -> None:
        """Go on to the next step."""
        if self.state is not None:
            self.state.point(step.position)
        else:
            self.tree.attach(step.focus, step.position)


@dataclass(frozen=True, slots=True)
class _Moment:
    """The state of the search when a step has scored all positions and none is chosen yet.

    *Shape:* a row is a hypothesis: ``log_probs`` is ``(n_rows, n_positions)``, ``sources`` ``(n_rows, 1 + n_slots)``.

    Attributes:
        focus: The focus word of each row.
        heads: The heads of words 1 … n in each row, None for words without one.
        origins: The row of the step before that each row extends; None at the first step.
    """

    focus: list[int]
    heads: list[list[int | None]]
    origins: list[int] | None
    log_probs: Array
    sources: Array
    scores: StepScores


class _Recorder:
    """The observer: copies what the search overwrites later."""

    def __init__(self) -> None:
        self.moments: list[_Moment] = []
        self._first_id = 0

    def __call__(self, trees: Machine, scores: StepScores) -> None:
        arrays = trees.arrays
        # While an observer looks on, every row has a decoder state of its own: ids tell rows.
        origins = (trees.previous - self._first_id).tolist() if self.moments else None
        self._first_id = int(scores.state_ids[0])
        moment = _Moment(
            focus=scores.focus[:, 0].tolist(),
            heads=_heads_so_far(trees.heads, trees.state_ids),
            origins=origins,
            log_probs=arrays.copy(trees.log_probs),
            sources=trees.sources(scores.focus),
            scores=scores,
        )
        self.moments.append(moment)


def _heads_so_far(heads: Array, state_ids: Array) -> list[list[int | None]]:
    """The heads of words 1 … n of each row; a word without a decoder state has none."""
    return [
        [head if state_id else None for head, state_id in zip(row[1:], ids[1:], strict=True)]
        for row, ids in zip(heads.tolist(), state_ids.tolist(), strict=True)
    ]


class _Story:
    """The recorded steps, followed back from the best tree."""

    def __init__(
        self,
        branch: Branch,
        options: ParseOptions,
        moments: Sequence[_Moment],
        trees: Trees,
        best: ParseTree,
        steps: Sequence[PointingStep],
    ) -> None:
        self.branch = branch
        self.options = options
        self.moments = moments
        self.trees = trees
        self.steps = steps
        self.winner = trees.heads[0, :, 1:].tolist().index(best.heads)
        self.chosen = [self._chosen(number) for number in range(len(moments))]
        self.rows = self._followed(best.heads)

    def _chosen(self, number: int) -> list[tuple[int, int]]:
        """The hypotheses that the beam kept after a step, best first: the row that each extends, and its position."""
        moment = self.moments[number]
        if number + 1 < len(self.moments):
            after = self.moments[number + 1]
            kept = list(zip(after.origins or (), after.heads, strict=True))
        else:
            exists = self.trees.scores[0] > float("-inf")
            finished = _heads_so_far(self.trees.heads[0][exists], self.trees.state_ids[0][exists])
            kept = [(self._row_before(number, heads), heads) for heads in finished]
        # Where there are fewer trees than the beam is wide, the search repeats the best one.
        return list(dict.fromkeys((row, self._position(moment, row, heads)) for row, heads in kept))

    def _row_before(self, number: int, finished: Sequence[int | None]) -> int:
        """The row from which the last step made a finished tree: all of its arcs are there."""
        rows = self.moments[number].heads
        return next(row for row, heads in enumerate(rows) if _agrees(heads, finished))

    def _position(self, moment: _Moment, row: int, after: Sequence[int | None]) -> int:
        """What the focus word of a row pointed at, by the heads that there are after the step."""
        before = moment.heads[row]
        new = [word for word, head in enumerate(after, 1) if head is not None and before[word - 1] is None]
        if not new:
            return moment.focus[row]  # it was popped
        return new[0] if self.branch.order.is_top_down else after[new[0] - 1] or 0

    def _followed(self, best: Sequence[int]) -> list[int]:
        """The row of each step that led to the best tree."""
        rows = [self._row_before(len(self.moments) - 1, best)]
        for moment in reversed(self.moments[1:]):
            rows.append((moment.origins or [0])[rows[-1]])
        return rows[::-1]

    def sources(self, number: int) -> Iterator[StateRead]:
        """The decoder states that the step read, and the share of each in the fused state."""
        moment, row = self.moments[number], self.rows[number]
        words = [self.steps[number - 1].focus if number else 0, *self.steps[number].reads]
        names = RELATIVE_NAMES if self.branch.order.is_top_down else SLOT_NAMES
        slots = ["previous", *(names[slot] for slot in self.branch.slots)]
        states = self.branch.source_values(self.trees.memory[:, 0][moment.sources[row]])
        lengths = np.nan_to_num(np.linalg.norm(self._floats(states), axis=1))
        shares = (lengths / max(lengths.sum(), np.finfo(np.float32).tiny)).tolist()
        for slot, word, share in zip(slots, words, shares, strict=True):
            yield StateRead(slot, word or None, share)

    def labels(self, number: int, root_label: int | None, deprels: Sequence[str], count: int) -> list[LabelProb]:
        """The most probable labels of the arc that the step added."""
        step, arrays = self.steps[number], self.branch.arrays
        place = (0, self.winner, slice(step.dependent, step.dependent + 1))
        head, state_id = self.trees.heads[place], self.trees.state_ids[place]
        rows = arrays.from_numpy(self.branch.positions.table)[0, step.position : step.position + 1]
        log_probs = label_log_probs(self.branch, self.trees.memory[:, 0][state_id], rows, head == 0, root_label)
        best, numbers = arrays.top(log_probs, min(count, log_probs.shape[1]))
        labels = zip(numbers[0].tolist(), arrays.exp(best)[0].tolist(), strict=True)
        return [LabelProb(deprels[label], prob) for label, prob in labels if prob > 0]

    def hypotheses(self, number: int) -> Iterator[Hypothesis]:
        """What the step proposed: the hypotheses that the beam kept, then as many of the best that it dropped."""
        moment, kept = self.moments[number], self.chosen[number]
        origins = len(self.chosen[number - 1]) if number else 1
        scores = moment.log_probs[:origins].sum(1)[:, None] + moment.scores.log_probs[:origins]
        ranking = self.branch.arrays.ranking(scores.reshape(1, -1))[0, : 2 * self.options.width].tolist()
        proposals = [divmod(place, scores.shape[1]) for place in ranking]
        possible = [(row, position) for row, position in proposals if scores[row, position] > float("-inf")]
        dropped = [proposal for proposal in possible if proposal not in kept][: self.options.width]
        top_down = self.branch.order.is_top_down
        for rank, (row, position) in enumerate([*kept, *dropped], 1):
            focus, heads = moment.focus[row], moment.heads[row].copy()
            head, dependent = (focus, position) if top_down else (position, focus)
            popped = head == dependent
            if not popped:
                heads[dependent - 1] = head
            yield Hypothesis(
                rank=rank,
                origin=row + 1 if number else None,
                focus=focus,
                position=position,
                head=None if popped else head,
                log_prob=float(scores[row, position]),
                heads=heads,
                kept=rank <= len(kept),
                best=(row, position) == (self.rows[number], self.steps[number].position),
            )

    def gate(self, number: int) -> GateOpening | None:
        """How far the fusion gate opened at a step."""
        gates = self.moments[number].scores.gates
        if gates is None:
            return None
        openings = np.nan_to_num(self._floats(gates[self.rows[number]]))
        tenths = np.histogram(openings, bins=10, range=(0.0, 1.0))[0] / openings.size
        return GateOpening(float(openings[0].mean()), float(openings[1].mean()), tenths.tolist())

    def _floats(self, array: Array) -> NDArray[np.float32]:
        return np.asarray(self.branch.arrays.to_numpy(array), dtype=np.float32)


def _agrees(heads: Sequence[int | None], finished: Sequence[int | None]) -> bool:
    return all(head is None or head == last for head, last in zip(heads, finished, strict=True))
