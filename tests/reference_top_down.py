"""The top-down parsers by their description in §2.3 of the paper: one sentence, one step at a time, in 64 bits.

The equations of the network are those of `tests/reference.py`. The stack and its legal steps are those of the
pure-Python transitions; which states a step reads and what it learns is written down here once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pointree.parser import Parser
from pointree.transitions import Constraints, PartialTree
from pointree.transitions.top_down import TopDownState, legal_positions
from pointree.treebank.sentence import Sentence

from .reference import Reference, State

__all__ = ["TopDownDecoding", "TopDownReference", "reference_of"]


@dataclass
class TopDownDecoding:
    """A sentence on its way; ``states`` has for each word the state of the step that pointed at it."""

    stack: TopDownState
    previous: State
    states: dict[int, State]
    log_prob: float = 0.0

    @property
    def tree(self) -> PartialTree:
        return self.stack.tree


class TopDownReference(Reference):
    """The network of a top-down parser, read off its parameters, for one sentence."""

    def start_top_down(self) -> TopDownDecoding:
        start = self.start()
        return TopDownDecoding(TopDownState(len(self.sentence)), start.previous, {})

    def next_state(self, decoding: TopDownDecoding) -> State:
        """s_t: fused from s_{t-1} and the states that were there when parent and last sibling were assigned."""
        focus, heads = decoding.stack.focus, decoding.tree.heads
        parent = heads[focus]
        sibling = None
        if focus and parent is not None:
            # Dependents came in this order: on the right, going right, then on the left, going left.
            words = [word for word, head in enumerate(heads) if head == parent]
            turns = [word for word in words if word > parent] + [word for word in reversed(words) if word < parent]
            place = turns.index(focus)
            sibling = turns[place - 1] if place else None
        wanted = {"none": [], "parent": [parent], "parent-sibling": [parent, sibling]}[self.config.decoder.fusion]
        read = [None if word is None else decoding.states.get(word) for word in wanted]
        return self.fused_state(decoding.previous, read, focus)

    def take(self, decoding: TopDownDecoding, position: int, state: State) -> TopDownDecoding:
        states = dict(decoding.states)
        if position != decoding.stack.focus:
            states[position] = state
        stack = decoding.stack.copy()
        stack.point(position)
        return TopDownDecoding(stack, state, states, decoding.log_prob)

    def loss(self, heads: Sequence[int], labels: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of gold steps (over all positions but ROOT) and of gold labels."""
        decoding = self.start_top_down()
        arcs = labels_loss = torch.zeros((), dtype=torch.float64)
        for position in _sequence(heads):
            state = self.next_state(decoding)
            logits = self.arc_logits(state)
            arcs = arcs - logits[position] + torch.logsumexp(logits[1:], dim=0)
            if position != decoding.stack.focus:
                label_log_probs = torch.log_softmax(self.label_logits(state, position), dim=0)
                labels_loss = labels_loss - label_log_probs[labels[position - 1]]
            decoding = self.take(decoding, position, state)
        return arcs, labels_loss

    def grown(self, decoding: TopDownDecoding, constraints: Constraints) -> list[TopDownDecoding]:
        """What the decoding may become by one step."""
        state = self.next_state(decoding)
        legal = torch.tensor(legal_positions(decoding.stack, constraints))
        log_probs = torch.log_softmax(self.arc_logits(state).masked_fill(~legal, float("-inf")), dim=0).tolist()
        found = []
        for position, log_prob in enumerate(log_probs):
            if log_prob > float("-inf"):
                longer = self.take(decoding, position, state)
                longer.log_prob += log_prob
                found.append(longer)
        return found

    def best_labels(self, decoding: TopDownDecoding, root_label: int | None) -> list[tuple[int, float]]:  # type: ignore[override]
        """The best label of each word and its log-probability: the step's state against the word that it points at."""
        best = []
        for word in range(1, decoding.tree.n + 1):
            logits = self.label_logits(decoding.states[word], word)
            if root_label is not None:
                is_root = decoding.tree.heads[word] == 0
                allowed = [(label == root_label) == is_root for label in range(len(logits))]
                logits = logits.masked_fill(~torch.tensor(allowed), float("-inf"))
            log_probs = torch.log_softmax(logits, dim=0)
            label = int(log_probs.argmax())
            best.append((label, float(log_probs[label])))
        return best

    def greedy(self, constraints: Constraints) -> TopDownDecoding:  # type: ignore[override]
        """Every focus word points at its best legal position."""
        decoding = self.start_top_down()
        for _step in range(2 * len(self.sentence) - 1):
            before = decoding.log_prob
            decoding = max(self.grown(decoding, constraints), key=lambda longer: longer.log_prob - before)
        return decoding

    def all_decodings(self, constraints: Constraints) -> list[TopDownDecoding]:  # type: ignore[override]
        """Every legal tree with its score, unordered."""
        running = [self.start_top_down()]
        for _step in range(2 * len(self.sentence) - 1):
            running = [longer for decoding in running for longer in self.grown(decoding, constraints)]
        return running


def _sequence(heads: Sequence[int]) -> list[int]:
    """The gold positions, by walking down the tree; the last word on the stack is not popped."""
    found: list[int] = []

    def visit(word: int) -> None:
        words = [dependent for dependent, head in enumerate(heads, 1) if head == word]
        right, left = [each for each in words if each > word], [each for each in words if each < word]
        for dependent in (*right, *reversed(left)):
            found.append(dependent)
            visit(dependent)
        if word:
            found.append(word)

    visit(0)
    return found[:-1]


def reference_of(parser: Parser, sentence: Sentence, parameters: dict[str, Tensor] | None = None) -> Reference:
    """The slow parser of a network's transition system."""
    chosen = TopDownReference if parser.config.decoder.order == "top-down" else Reference
    return chosen(parser, sentence, parameters)
