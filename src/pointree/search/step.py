"""One step of any search: decoder state, pointer scores, legal heads, log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from pointree.nn.decoder import DecoderWeights, StepTrace, decoder_step, new_memory
from pointree.nn.model import Encoding, PointerNetwork
from pointree.nn.packing import Packing
from pointree.search.distinct import distinct_rows
from pointree.search.state import BatchedTrees
from pointree.transitions import Order

__all__ = ["StepObserver", "StepScores", "Stepper"]


@dataclass(frozen=True, slots=True)
class StepScores:
    """The results of a step, for an observer of the search.

    *Shape:* ``focus`` is ``(n_rows, 1)``, ``state_ids`` ``(n_rows,)``; ``logits`` (of all positions), ``legal`` and
    ``log_probs`` (over legal positions) are ``(n_rows, n_positions)``.
    """

    focus: Tensor
    state_ids: Tensor
    logits: Tensor
    legal: Tensor
    log_probs: Tensor
    decoder: StepTrace


class StepObserver(Protocol):
    """Called at every step of a search, before heads are chosen."""

    def __call__(self, trees: BatchedTrees, scores: StepScores) -> None:
        """Look at a step; copy what you keep of the trees, which change after the call."""


@dataclass(slots=True)
class Stepper:
    """Runs the decoder over a batch whose sentences are sorted by length, longest first.

    Attributes:
        steps: The packing of the steps: the sentences that are still running are always the first ones.
        focus: The focus word of each sentence at each step, ``(batch_size, n_steps)``.
        memory: All decoder states (see `pointree.nn.decoder`), filled up to ``size``.
        observer: Called at every step, if given.
    """

    network: PointerNetwork
    encoding: Encoding
    steps: Packing
    focus: Tensor
    memory: Tensor
    weights: DecoderWeights
    size: int
    observer: StepObserver | None = None

    @classmethod
    def start(
        cls,
        network: PointerNetwork,
        encoding: Encoding,
        order: Order,
        beam: int,
        observer: StepObserver | None = None,
    ) -> Stepper:
        """Prepare the search over an encoded batch."""
        positions = encoding.positions
        lengths = [length - 1 for length in positions.lengths]
        steps = Packing.of(lengths, positions.device)
        focus = torch.zeros(steps.batch_size, steps.n_steps, dtype=torch.int64)
        for sentence, n in enumerate(lengths):
            focus[sentence, :n] = torch.tensor(order.focus_sequence(n))
        return cls(
            network=network,
            encoding=encoding,
            steps=steps,
            focus=focus.to(positions.device),
            memory=new_memory(encoding.initial, steps.n_rows * beam),
            weights=network.decoder.weights(encoding.initial.dtype),
            size=1 + steps.batch_size,
            observer=observer,
        )

    @property
    def initial_ids(self) -> Tensor:
        """The ids of the initial states. *Shape:* ``(batch_size,)``."""
        return torch.arange(1, 1 + self.steps.batch_size, device=self.steps.device)

    @property
    def lengths(self) -> Tensor:
        """The number of words of each sentence. *Shape:* ``(batch_size,)``."""
        return self.steps.length_tensor

    def advance(self, trees: BatchedTrees, step: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
        """Score all heads of the step's focus words.

        *Shape:* with ``n_rows`` = running sentences · ``width``: returns the focus words ``(n_rows, 1)``, the ids of
        their new decoder states ``(n_rows,)``, and log-probabilities over legal heads ``(n_rows, n_positions)``, -inf
        where a head is not legal.
        """
        encoding, count = self.encoding, self.steps.active[step]
        focus = self.focus[:count, step]
        rows = encoding.positions.padding_index[:count].gather(1, focus.unsqueeze(1)).squeeze(1)
        if width > 1:
            focus, rows = focus.repeat_interleave(width), rows.repeat_interleave(width)
        focus = focus.unsqueeze(1)
        start, n_rows = self.size, count * width
        sources, inverse = trees.sources(focus), None
        if width > 1 and self.observer is None:
            # A decoder state depends only on the states that it reads. Hypotheses that read the same states share the
            # new one, even if their trees differ elsewhere.
            chosen, inverse = distinct_rows(sources, bound=start)
            sources, rows = sources[chosen], rows[chosen]
        decoder = decoder_step(self.weights, self.memory, sources, encoding.input_gates.index_select(0, rows), start)
        self.size += sources.shape[0]
        dependents = self.network.arcs.dependent(self.memory[start : self.size, 0])
        state_ids = torch.arange(start, self.size, device=focus.device)
        if inverse is not None:
            dependents, state_ids = dependents.index_select(0, inverse), state_ids[inverse]
        queries = dependents.view(count, width, -1).transpose(1, 2)
        logits = torch.baddbmm(encoding.key_biases[:count].unsqueeze(2), encoding.keys[:count], queries)
        logits = logits.transpose(1, 2).reshape(n_rows, -1).float()
        # Scores must stay comparable whatever the weights are: a search that meets NaN still returns a tree, and the
        # log-probability of a legal head must stay above the -inf of illegal ones.
        logits = logits.nan_to_num(nan=0.0).clamp_(-1e30, 1e30)
        legal = trees.legal_heads(focus)
        log_probs = logits.masked_fill(~legal, float("-inf")).log_softmax(dim=1)
        if self.observer is not None:
            self.observer(trees, StepScores(focus, state_ids, logits, legal, log_probs, decoder))
        return focus, state_ids, log_probs
