"""The probabilities of all arcs of a sentence, for the combination of orders and of models.

The probability of an arc is that of the head at the step of its dependent, in the decoder's own greedy parse. The
distribution covers all positions except the word itself, as in training. Illegal heads are included: what is illegal
depends on earlier attachments, which may be wrong, and the combination builds a legal tree afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointree.search.arrays import Array
from pointree.search.branch import Branch, Encoded
from pointree.search.greedy import greedy_steps
from pointree.search.labels import arcs_of, label_log_probs
from pointree.search.machine import Machine
from pointree.search.result import Trees
from pointree.search.resumable import Resumable, run_to_end
from pointree.search.step import StepScores
from pointree.transitions import Constraints

__all__ = ["Floats", "MeanPosteriors", "Posteriors", "find_posteriors", "posterior_steps"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posteriors:
    """A decoder's greedy parse of a batch, with its distributions.

    *Shape:* ``heads`` is ``(batch_size, n_positions, n_positions)``: a row is a word, a column its possible head;
    rows of ROOT and of padding are zero.
    """

    heads: Array
    trees: Trees
    branch: Branch

    def labels(self, heads: Array, root_label: int | None) -> Array:
        """The distribution over labels of the arcs from given heads, which need not be the decoder's own.

        *Shape:* ``heads`` is ``(batch_size, n_positions)``; returns ``(batch_size, n_positions, n_labels)``.
        """
        arrays = self.branch.arrays
        arcs = arcs_of(self.branch, heads[:, None], self.trees.state_ids[:, :1])
        states = self.trees.memory[:, 0][arcs.state_ids]
        found = arrays.exp(label_log_probs(self.branch, states, arcs.rows, arcs.from_root, root_label))
        everywhere = arrays.full((heads.shape[0] * heads.shape[1], found.shape[1]), 0.0, "float")
        everywhere[arcs.places] = found
        return everywhere.reshape(*heads.shape, -1)


class _HeadRecorder:
    """Records the distribution over heads of every step."""

    def __init__(self, branch: Branch) -> None:
        batch_size, n_positions = branch.positions.batch_size, branch.positions.n_steps
        self.arrays = branch.arrays
        self.heads = self.arrays.full((batch_size, n_positions, n_positions), 0.0, "float")

    def __call__(self, trees: Machine, scores: StepScores) -> None:
        possible = trees.exists & (trees.columns != scores.focus)
        log_probs = self.arrays.log_softmax(self.arrays.where(possible, scores.logits, float("-inf")))
        self.heads[self.arrays.arange(0, log_probs.shape[0]), scores.focus[:, 0]] = self.arrays.exp(log_probs)


@dataclass(frozen=True, slots=True)
class MeanPosteriors:
    """The mean of what the decoders of a model think of a batch, in arrays of numpy."""

    parts: Sequence[Posteriors]
    encoded: Encoded

    def heads(self) -> Floats:
        """The probability of every arc. *Shape:* as in `Posteriors`."""
        return _mean([part.branch.arrays.to_numpy(part.heads) for part in self.parts])

    def labels(self, heads: NDArray[np.int64], root_label: int | None) -> Floats:
        """The distribution over labels of the arcs from given heads. *Shape:* as in `Posteriors`."""
        found = []
        for part in self.parts:
            arrays = part.branch.arrays
            found.append(arrays.to_numpy(part.labels(arrays.from_numpy(heads), root_label)))
        return _mean(found)


def _mean(arrays: Sequence[np.ndarray]) -> Floats:
    total: Floats = arrays[0].astype(np.float64)
    for array in arrays[1:]:
        total += array
    return total / len(arrays)


def find_posteriors(encoded: Encoded, constraints: Constraints) -> MeanPosteriors:
    """Parse a batch greedily with each of its decoders and record the distribution over heads at every step."""
    return run_to_end(posterior_steps(encoded, constraints))


def posterior_steps(encoded: Encoded, constraints: Constraints) -> Resumable[MeanPosteriors]:
    """The same, with a pause after every decoder step."""
    parts = []
    for branch in encoded.branches.values():
        recorder = _HeadRecorder(branch)
        trees = yield from greedy_steps(branch, constraints, recorder)
        parts.append(Posteriors(recorder.heads, trees, branch))
    return MeanPosteriors(parts, encoded)
