"""The probabilities of all arcs of a sentence, for the combination of parsers.

The probability of an arc is that of the head at the step of its dependent, in the parser's own greedy parse. The
distribution covers all positions except the word itself, as in training. Illegal heads are included: what is illegal
depends on earlier attachments, which may be wrong, and the combination builds a legal tree afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointree.search.arrays import Array
from pointree.search.branch import Branch, Encoded
from pointree.search.greedy import greedy_search
from pointree.search.labels import arcs_of, label_log_probs
from pointree.search.result import Trees
from pointree.search.state import BatchedTrees
from pointree.search.step import StepScores
from pointree.transitions import Constraints

__all__ = ["Posteriors", "find_posteriors"]


@dataclass(frozen=True, slots=True)
class Posteriors:
    """A parser's greedy parse of a batch, with its distributions.

    *Shape:* ``heads`` is ``(batch_size, n_positions, n_positions)``: a row is a word, a column its possible head;
    rows of ROOT and of padding are zero.
    """

    heads: Array
    trees: Trees
    branch: Branch
    encoded: Encoded

    def labels(self, heads: Array, root_label: int | None) -> Array:
        """The distribution over labels of the arcs from given heads, which need not be the parser's own.

        *Shape:* ``heads`` is ``(batch_size, n_positions)``; returns ``(batch_size, n_positions, n_labels)``.
        """
        arrays = self.branch.arrays
        places, state_ids, flat_heads, head_rows = arcs_of(self.branch, heads[:, None], self.trees.state_ids[:, :1])
        states = self.trees.memory[:, 0][state_ids]
        found = arrays.exp(label_log_probs(self.branch, states, head_rows, flat_heads == 0, root_label))
        everywhere = arrays.full((heads.shape[0] * heads.shape[1], found.shape[1]), 0.0, "float")
        everywhere[places] = found
        return everywhere.reshape(*heads.shape, -1)


class _HeadRecorder:
    """Records the distribution over heads of every step."""

    def __init__(self, branch: Branch) -> None:
        batch_size, n_positions = branch.positions.batch_size, branch.positions.n_steps
        self.arrays = branch.arrays
        self.heads = self.arrays.full((batch_size, n_positions, n_positions), 0.0, "float")

    def __call__(self, trees: BatchedTrees, scores: StepScores) -> None:
        possible = trees.exists & (trees.columns != scores.focus)
        log_probs = self.arrays.log_softmax(self.arrays.where(possible, scores.logits, float("-inf")))
        self.heads[self.arrays.arange(0, log_probs.shape[0]), scores.focus[:, 0]] = self.arrays.exp(log_probs)


def find_posteriors(encoded: Encoded, constraints: Constraints, order: str | None = None) -> Posteriors:
    """Parse a batch greedily and record the distribution over heads at every step."""
    branch = encoded.branch(order)
    recorder = _HeadRecorder(branch)
    trees = greedy_search(branch, constraints, recorder)
    return Posteriors(recorder.heads, trees, branch, encoded)
