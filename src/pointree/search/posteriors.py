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

from pointree.batches.layout import Layout
from pointree.search.arrays import Array
from pointree.search.branch import Branch, Encoded
from pointree.search.labels import arcs_of, label_log_probs
from pointree.search.result import Trees
from pointree.search.resumable import Resumable, run_to_end
from pointree.search.state import BatchedTrees
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
    """The same, with a pause after every step, which all decoders make together.

    They are one batch with a row for each sentence and decoder. A decoder computes its own states; everything else,
    from pointing to the trees, is done once for all rows.
    """
    search = _JointSearch(list(encoded.branches.values()), constraints)
    for step in range(search.steps.n_steps):
        search.advance(step)
        yield
    return MeanPosteriors(search.parts(), encoded)


class _JointSearch:
    """Greedy search of several bottom-up decoders over one encoded batch, and the distributions of their steps.

    The rows of a sentence lie side by side, as those of a beam do. Every decoder has a memory of its own, in which the
    states of a step have the same ids.

    *Shape:* ``focus`` and ``rows``, the focus words and their rows among the positions, are ``(batch_size, n_steps,
    n_decoders)``; ``distributions`` is ``(batch_size · n_decoders, n_positions, n_positions)``.
    """

    def __init__(self, branches: Sequence[Branch], constraints: Constraints) -> None:
        self.branches = branches
        self.arrays = arrays = branches[0].arrays
        positions, width = branches[0].positions, len(branches)
        lengths = [length - 1 for length in positions.lengths]
        self.steps = Layout.of_lengths(lengths)
        focus = np.zeros((len(lengths), self.steps.n_steps, width), dtype=np.int64)
        for sentence, n in enumerate(lengths):
            for column, branch in enumerate(branches):
                focus[sentence, :n, column] = branch.order.focus_sequence(n)
        rows = positions.table[np.arange(len(lengths))[:, None, None], focus]
        self.focus, self.rows = arrays.from_numpy(focus), arrays.from_numpy(rows)
        self.slots = sorted({slot for branch in branches for slot in branch.slots})
        self.trees = BatchedTrees(arrays, [n for n in lengths for _branch in branches], self.slots, constraints)
        self.trees.previous = arrays.repeat(arrays.arange(1, 1 + len(lengths)), width)
        self.tables = (self.trees.heads, self.trees.log_probs, self.trees.state_ids)
        self.columns = [[0, *(1 + self.slots.index(slot) for slot in branch.slots)] for branch in branches]
        self.memories = [branch.new_memory(self.steps.n_rows) for branch in branches]
        self.size = 1 + len(lengths)
        n_positions = positions.n_steps
        self.distributions = arrays.full((len(lengths) * width, n_positions, n_positions), 0.0, "float")

    def advance(self, step: int) -> None:
        """Let the next focus word of every sentence and decoder point at its best legal head."""
        arrays, trees, count, width = self.arrays, self.trees, self.steps.active[step], len(self.branches)
        if count * width < trees.heads.shape[0]:
            trees.select(slice(count * width))  # views: the full tables keep the finished sentences
        focus, rows = self.focus[:count, step].reshape(-1, 1), self.rows[:count, step]
        sources = trees.sources(focus).reshape(count, width, -1)
        queries = []
        for place, (branch, memory, own) in enumerate(zip(self.branches, self.memories, self.columns, strict=True)):
            queries.append(branch.step(memory, sources[:, place][:, own], rows[:, place], self.size).queries)
        state_ids = arrays.repeat(arrays.arange(self.size, self.size + count), width)
        self.size += count
        # The pointer is the same for all decoders. As in any search, scores must be comparable whatever the weights.
        logits = arrays.finite(self.branches[0].point(arrays.join(queries).reshape(count * width, -1), count))
        possible = trees.exists & (trees.columns != focus)
        log_probs = arrays.log_softmax(arrays.where(possible, logits, float("-inf")))
        self.distributions[arrays.arange(0, count * width), focus[:, 0]] = arrays.exp(log_probs)
        best, head = arrays.best(arrays.where(trees.legal(focus), log_probs, float("-inf")))
        trees.point(focus, head, best, state_ids)

    def parts(self) -> list[Posteriors]:
        """What each decoder found."""
        batch_size, width = self.steps.batch_size, len(self.branches)
        heads, log_probs, state_ids = (table.reshape(batch_size, width, -1) for table in self.tables)
        distributions = self.distributions.reshape(batch_size, width, *self.distributions.shape[1:])
        found = []
        for place, (branch, memory) in enumerate(zip(self.branches, self.memories, strict=True)):
            own = slice(place, place + 1)
            trees = Trees(heads[:, own], log_probs[:, own], state_ids[:, own], log_probs[:, own].sum(2), memory)
            found.append(Posteriors(distributions[:, place], trees, branch))
        return found
