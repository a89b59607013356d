"""The probabilities of all arcs of a sentence, for the combination of parsers.

The probability of an arc is that of the head at the step of its dependent, in the parser's own greedy parse. The
distribution covers all positions except the word itself, as in training. Illegal heads are included: what is illegal
depends on earlier attachments, which may be wrong, and the combination builds a legal tree afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from pointree.nn.model import Encoding, PointerNetwork
from pointree.search.greedy import greedy_search
from pointree.search.labels import label_log_probs
from pointree.search.result import Trees
from pointree.search.state import BatchedTrees
from pointree.search.step import StepScores
from pointree.transitions import Constraints, Order

__all__ = ["Posteriors", "find_posteriors"]


@dataclass(frozen=True, slots=True)
class Posteriors:
    """A parser's greedy parse of a batch, with its distributions.

    *Shape:* ``heads`` is ``(batch_size, n_positions, n_positions)``: a row is a word, a column its possible head;
    rows of ROOT and of padding are zero.
    """

    heads: Tensor
    trees: Trees
    network: PointerNetwork
    encoding: Encoding

    def labels(self, heads: Tensor, root_label: int | None) -> Tensor:
        """The distribution over labels of the arcs from given heads, which need not be the parser's own.

        *Shape:* ``heads`` is ``(batch_size, n_positions)``; returns ``(batch_size, n_positions, n_labels)``.
        """
        state_ids = self.trees.state_ids[:, 0]
        places = (state_ids.flatten() > 0).nonzero().squeeze(1)
        head_rows = self.encoding.positions.padding_index.gather(1, heads).flatten().index_select(0, places)
        found = label_log_probs(
            self.network,
            self.trees.memory[:, 0].index_select(0, state_ids.flatten().index_select(0, places)),
            self.encoding.label_heads.index_select(0, head_rows),
            heads.flatten().index_select(0, places) == 0,
            root_label,
        ).exp()
        everywhere = found.new_zeros(state_ids.numel(), found.shape[1]).index_copy(0, places, found)
        return everywhere.view(*state_ids.shape, -1)


class _HeadRecorder:
    """Records the distribution over heads of every step."""

    def __init__(self, encoding: Encoding) -> None:
        batch_size, n_positions = encoding.key_biases.shape
        self.heads = torch.zeros(batch_size, n_positions, n_positions, device=encoding.keys.device)

    def __call__(self, trees: BatchedTrees, scores: StepScores) -> None:
        possible = trees.exists & (trees.columns != scores.focus)
        probs = scores.logits.masked_fill(~possible, float("-inf")).softmax(dim=1)
        self.heads[torch.arange(len(probs), device=probs.device), scores.focus.squeeze(1)] = probs


def find_posteriors(network: PointerNetwork, encoding: Encoding, order: Order, constraints: Constraints) -> Posteriors:
    """Parse a batch greedily and record the distribution over heads at every step."""
    recorder = _HeadRecorder(encoding)
    trees = greedy_search(network, encoding, order, constraints, recorder)
    return Posteriors(recorder.heads, trees, network, encoding)
