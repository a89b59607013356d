"""The top-down parsers by their description in §2.3 of the paper: one sentence, one step at a time, in 64 bits.

The equations of the network are those of `tests/reference.py`. Nothing here comes from the transitions of the package:
a step is legal if, by definition, some legal tree can still be completed after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from pointree.parser import Parser
from pointree.transitions import Constraints
from pointree.treebank.sentence import Sentence

from .reference import Reference, State

__all__ = ["TopDownDecoding", "TopDownReference", "reference_of"]


Heads = tuple[int | None, ...]
"""The heads of ROOT, which has none, and of words 1 … n; None for words without one yet."""


@dataclass(frozen=True)
class Configuration:
    """A stack, ROOT first, and the heads so far."""

    stack: tuple[int, ...]
    heads: Heads

    def dependents(self, word: int) -> list[int]:
        """In the order in which they came: on the right, going right, then on the left, going left."""
        words = [each for each, head in enumerate(self.heads) if head == word]
        return [each for each in words if each > word] + [each for each in reversed(words) if each < word]

    def after(self, position: int) -> Configuration:
        focus = self.stack[-1]
        if position == focus:
            return Configuration(self.stack[:-1], self.heads)
        heads = (*self.heads[:position], focus, *self.heads[position + 1 :])
        return Configuration((*self.stack, position), heads)

    def moves(self, constraints: Constraints) -> Iterator[int]:
        """The positions that break no rule at once, dead ends included."""
        focus = self.stack[-1]
        for position in range(1, len(self.heads)):
            if self.heads[position] is not None or position == focus:
                continue
            longer = self.after(position)
            if longer.dependents(focus)[-1] != position:
                continue  # it should have come before one that is there
            if constraints.single_root and self.heads.count(0) and focus == 0:
                continue
            if constraints.projective and longer.has_crossing_arcs():
                continue
            yield position
        if focus:
            yield focus

    def has_crossing_arcs(self) -> bool:
        arcs = [sorted((word, head)) for word, head in enumerate(self.heads) if head is not None]
        return any(a < c < b < d for a, b in arcs for c, d in arcs)


@cache
def can_be_completed(configuration: Configuration, constraints: Constraints) -> bool:
    """Whether some steps give every word a head."""
    if None not in configuration.heads[1:]:
        return True
    return any(
        can_be_completed(configuration.after(position), constraints) for position in configuration.moves(constraints)
    )


@dataclass
class Tree:
    """What tests read of a tree."""

    heads: list[int | None]

    @property
    def n(self) -> int:
        return len(self.heads) - 1


@dataclass
class TopDownDecoding:
    """A sentence on its way; ``states`` has for each word the state of the step that pointed at it."""

    configuration: Configuration
    previous: State
    states: dict[int, State]
    log_prob: float = 0.0

    @property
    def focus(self) -> int:
        return self.configuration.stack[-1]

    @property
    def tree(self) -> Tree:
        return Tree(list(self.configuration.heads))


class TopDownReference(Reference):
    """The network of a top-down parser, read off its parameters, for one sentence."""

    def start_top_down(self) -> TopDownDecoding:
        start = self.start()
        configuration = Configuration((0,), (None,) * (1 + len(self.sentence)))
        return TopDownDecoding(configuration, start.previous, {})

    def next_state(self, decoding: TopDownDecoding) -> State:
        """s_t: fused from s_{t-1} and the states that were there when parent and last sibling were assigned."""
        focus = decoding.focus
        parent = decoding.configuration.heads[focus]
        sibling = None
        if parent is not None:
            turns = decoding.configuration.dependents(parent)
            place = turns.index(focus)
            sibling = turns[place - 1] if place else None
        wanted = {"none": [], "parent": [parent], "parent-sibling": [parent, sibling]}[self.config.decoder.fusion]
        read = [None if word is None else decoding.states.get(word) for word in wanted]
        return self.fused_state(decoding.previous, read, focus)

    def take(self, decoding: TopDownDecoding, position: int, state: State) -> TopDownDecoding:
        states = dict(decoding.states)
        if position != decoding.focus:
            states[position] = state
        return TopDownDecoding(decoding.configuration.after(position), state, states, decoding.log_prob)

    def loss(self, heads: Sequence[int], labels: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of gold steps (over all positions but ROOT) and of gold labels."""
        decoding = self.start_top_down()
        arcs = labels_loss = torch.zeros((), dtype=torch.float64)
        for position in _sequence(heads):
            state = self.next_state(decoding)
            logits = self.arc_logits(state)
            arcs = arcs - logits[position] + torch.logsumexp(logits[1:], dim=0)
            if position != decoding.focus:
                label_log_probs = torch.log_softmax(self.label_logits(state, position), dim=0)
                labels_loss = labels_loss - label_log_probs[labels[position - 1]]
            decoding = self.take(decoding, position, state)
        return arcs, labels_loss

    def grown(self, decoding: TopDownDecoding, constraints: Constraints) -> list[TopDownDecoding]:
        """What the decoding may become by one step."""
        state = self.next_state(decoding)
        configuration = decoding.configuration
        legal = torch.zeros(len(configuration.heads), dtype=torch.bool)
        for position in configuration.moves(constraints):
            legal[position] = can_be_completed(configuration.after(position), constraints)
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
