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
from pointree.search.result import ParseTree, Trees
from pointree.search.resumable import Resumable
from pointree.search.state import BatchedTrees
from pointree.search.step import StepScores
from pointree.search.trace import GateOpening, Hypothesis, IllegalHead, LabelProb, StateRead, TraceStep
from pointree.transitions import Constraints, PartialTree, Slot
from pointree.transitions.reasons import illegal_heads

__all__ = ["trace_steps"]

SLOT_NAMES = {
    Slot.LEFTMOST: "leftmost",
    Slot.RIGHTMOST: "rightmost",
    Slot.LAST_LEFT: "last-left",
    Slot.LAST_RIGHT: "last-right",
}


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
    story = _Story(branch, options, recorder.moments, trees, best)
    constraints = Constraints(single_root=options.single_root, projective=options.projective)
    tree = PartialTree(len(best.heads))
    steps = []
    for number, moment in enumerate(story.moments):
        focus, head = moment.focus, best.heads[moment.focus - 1]
        row = story.rows[number]
        reasons = illegal_heads(tree, focus, constraints)
        tree.attach(focus, head)
        steps.append(
            TraceStep(
                number=number + 1,
                focus=focus,
                raw_probs=branch.arrays.exp(branch.arrays.log_softmax(moment.scores.logits[row : row + 1]))[0].tolist(),
                probs=branch.arrays.exp(moment.scores.log_probs[row]).tolist(),
                illegal=[
                    IllegalHead(position, str(reason.rule), list(reason.words), reason.explain(forms))
                    for position, broken in reasons.items()
                    for reason in broken
                ],
                sources=list(story.sources(number)),
                gate=story.gate(number),
                head=head,
                head_prob=best.head_probs[focus - 1],
                labels=story.labels(number, root_label, deprels, top_labels),
                heads=tree.heads[1:],
                hypotheses=list(story.hypotheses(number)),
            )
        )
        yield
    return best, steps


@dataclass(frozen=True, slots=True)
class _Moment:
    """The state of the search when a step has scored all heads and none is chosen yet.

    *Shape:* a row is a hypothesis: ``heads``, ``state_ids`` and ``log_probs`` are ``(n_rows, n_positions)``,
    ``sources`` ``(n_rows, 1 + n_slots)``, ``dependents`` ``(n_rows,)`` for each slot.
    """

    focus: int
    heads: Array
    state_ids: Array
    log_probs: Array
    sources: Array
    dependents: dict[Slot, Array]
    scores: StepScores

    @property
    def first_id(self) -> int:
        """The id of the decoder state of row 0; the others follow."""
        return int(self.scores.state_ids[0])


class _Recorder:
    """The observer: copies what the search overwrites later."""

    def __init__(self) -> None:
        self.moments: list[_Moment] = []

    def __call__(self, trees: BatchedTrees, scores: StepScores) -> None:
        arrays = trees.arrays
        moment = _Moment(
            focus=int(scores.focus[0, 0]),
            heads=arrays.copy(trees.heads),
            state_ids=arrays.copy(trees.state_ids),
            log_probs=arrays.copy(trees.log_probs),
            sources=trees.sources(scores.focus),
            dependents={slot: arrays.gather(trees.slots[slot], scores.focus)[:, 0] for slot in trees.fused_slots},
            scores=scores,
        )
        self.moments.append(moment)


class _Story:
    """The recorded steps, followed back from the best tree: its state ids say which rows led to it."""

    def __init__(
        self, branch: Branch, options: ParseOptions, moments: Sequence[_Moment], trees: Trees, best: ParseTree
    ) -> None:
        self.branch = branch
        self.options = options
        self.moments = moments
        self.trees = trees
        finished = trees.heads[0, :, 1:].tolist()
        self.winner = finished.index(best.heads)
        state_ids = trees.state_ids[0, self.winner].tolist()
        self.rows = [state_ids[moment.focus] - moment.first_id for moment in moments]
        self.chosen = [self._chosen(number) for number in range(len(moments))]

    def _chosen(self, number: int) -> list[tuple[int, int]]:
        """The hypotheses that the beam kept after a step, best first: the row that each extends, and its head."""
        moment = self.moments[number]
        if number + 1 < len(self.moments):
            after = self.moments[number + 1]
            state_ids, heads = after.state_ids[:, moment.focus], after.heads[:, moment.focus]
        else:
            exists = self.trees.scores[0] > float("-inf")
            state_ids, heads = (table[0, exists, moment.focus] for table in (self.trees.state_ids, self.trees.heads))
        rows = (state_ids - moment.first_id).tolist()
        # Where there are fewer trees than the beam is wide, the search repeats the best one.
        return list(dict.fromkeys(zip(rows, heads.tolist(), strict=True)))

    def sources(self, number: int) -> Iterator[StateRead]:
        """The decoder states that the step read, and the share of each in the fused state."""
        moment, row = self.moments[number], self.rows[number]
        words = [self.moments[number - 1].focus if number else 0]
        words += [int(dependents[row]) for dependents in moment.dependents.values()]
        slots = ["previous", *(SLOT_NAMES[slot] for slot in moment.dependents)]
        states = self.branch.source_values(self.trees.memory[:, 0][moment.sources[row]])
        lengths = np.nan_to_num(np.linalg.norm(self._floats(states), axis=1))
        shares = (lengths / max(lengths.sum(), np.finfo(np.float32).tiny)).tolist()
        for slot, word, share in zip(slots, words, shares, strict=True):
            yield StateRead(slot, word or None, share)

    def labels(self, number: int, root_label: int | None, deprels: Sequence[str], count: int) -> list[LabelProb]:
        """The most probable labels of the arc that the step added."""
        focus = self.moments[number].focus
        place = (0, self.winner, slice(focus, focus + 1))
        head, state_id, arrays = self.trees.heads[place], self.trees.state_ids[place], self.branch.arrays
        rows = arrays.from_numpy(self.branch.positions.table)[0, head]
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
        possible = [(row, head) for row, head in proposals if scores[row, head] > float("-inf")]
        dropped = [proposal for proposal in possible if proposal not in kept][: self.options.width]
        done = [earlier.focus for earlier in self.moments[:number]]
        so_far = moment.heads.tolist()
        for rank, (row, head) in enumerate([*kept, *dropped], 1):
            heads: list[int | None] = [None] * (scores.shape[1] - 1)
            for word in done:
                heads[word - 1] = so_far[row][word]
            heads[moment.focus - 1] = head
            yield Hypothesis(
                rank=rank,
                origin=row + 1 if number else None,
                head=head,
                log_prob=float(scores[row, head]),
                heads=heads,
                kept=rank <= len(kept),
                best=(row, head) == (self.rows[number], int(self.trees.heads[0, self.winner, moment.focus])),
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
