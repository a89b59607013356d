"""The parser by its equations: one sentence, one step, one word at a time, in plain torch and 64 bits.

Slow and readable. It knows how parameters are laid out, which their docstrings say, and takes nothing else from the
network or the search: windows, gates and scores are written down again from sections 2.2 and 3.1 of the paper, and the
tree and its legal heads are those of the pure-Python transitions. Autograd differentiates it, so that gradients can be
compared too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pointree.parser import Parser
from pointree.transitions import Constraints, PartialTree, Slot, legal_heads
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import PAD, ROOT

__all__ = ["Decoding", "Reference", "State", "elu", "fuse", "lstm_cell"]


@dataclass(frozen=True)
class State:
    """One state of the decoder: hidden state and cell, each ``(size,)``."""

    hidden: Tensor
    cell: Tensor


@dataclass
class Decoding:
    """A sentence on its way: the tree so far, the states so far, and the score of what was chosen."""

    tree: PartialTree
    previous: State
    states: dict[int, State]
    log_prob: float = 0.0

    def copy(self) -> Decoding:
        """A decoding that goes on independently."""
        return Decoding(self.tree.copy(), self.previous, dict(self.states), self.log_prob)


def elu(x: Tensor) -> Tensor:
    """x where it is positive, exp(x) - 1 elsewhere."""
    return torch.where(x > 0, x, torch.exp(x.clamp(max=0.0)) - 1)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + torch.exp(-x))


def lstm_cell(gates: Tensor, cell: Tensor) -> State:
    """The LSTM's equations; the four gates lie in the order output, input, forget, candidate."""
    output, input_, forget, candidate = gates.chunk(4)
    new_cell = sigmoid(forget) * cell + sigmoid(input_) * torch.tanh(candidate)
    return State(sigmoid(output) * torch.tanh(new_cell), new_cell)


def fuse(
    previous: Tensor,
    dependents: Sequence[Tensor],
    values: Sequence[Tensor],
    gates: Sequence[Tensor],
    bias: Tensor,
    gate: str,
) -> Tensor:
    """h'' of §3.1.

    ``values`` are W_p and one W for each dependent; ``gates`` likewise for GATE1, and without W_gp for GATE2. All are
    ``(size, size)`` and multiply a row vector from the right.
    """
    value = previous @ values[0]
    for dependent, weight in zip(dependents, values[1:], strict=True):
        value = value + dependent @ weight
    if gate == "gate1":
        opening = previous @ gates[0] + bias
        for dependent, weight in zip(dependents, gates[1:], strict=True):
            opening = opening + dependent @ weight
    else:
        opening = bias
        for dependent, weight in zip(dependents, gates, strict=True):
            opening = opening + (previous * dependent) @ weight
    return sigmoid(opening) * torch.tanh(value)


class Reference:
    """The network of a parser, read off its parameters, for one sentence."""

    def __init__(self, parser: Parser, sentence: Sentence, parameters: dict[str, Tensor] | None = None) -> None:
        """Encode the sentence; ``parameters`` stand in for those of the parser, to be differentiated."""
        self.parser = parser
        self.sentence = sentence
        self.config = parser.config
        self.system = parser.featurizer.systems[0]
        self.slots = self.system.slots
        self.parameters = parameters or {
            name: tensor.detach().double() for name, tensor in parser.network.named_parameters()
        }
        self.encoded, self.final_cells = self._encode()

    def __getitem__(self, name: str) -> Tensor:
        return self.parameters[name]

    def _spell(self, form: str) -> Tensor:
        """The character CNN over one form: every window of characters, zeros beyond both ends."""
        chars, window = self.parser.vocabularies.chars, self.config.embeddings.char_window
        table = self["embeddings.chars.embedding"]
        spelling = [[ROOT]] if form == "" else chars.spell(form).tolist()
        vectors = [sum(table[number] for number in numbers if number != PAD) for numbers in spelling]
        nothing = torch.zeros(table.shape[1], dtype=torch.float64)
        features = []
        for centre in range(len(vectors)):
            places = range(centre - window // 2, centre + window // 2 + 1)
            seen = [vectors[place] if 0 <= place < len(vectors) else nothing for place in places]
            features.append(torch.cat(seen) @ self["embeddings.chars.filters"] + self["embeddings.chars.bias"])
        return torch.tanh(torch.stack(features).max(dim=0).values)

    def _embed(self) -> list[Tensor]:
        vocabularies, embeddings = self.parser.vocabularies, self.config.embeddings
        tag = embeddings.tag
        rows = [(ROOT, "", ROOT)]
        for word in self.sentence.words:
            column = "" if tag == "none" else getattr(word, tag)
            rows.append((vocabularies.words.lookup(word.form), word.form, vocabularies.tags.lookup(column)))
        embedded = []
        for number, form, tag_number in rows:
            parts = []
            if embeddings.word_size:
                parts.append(self["embeddings.words"][number])
            if embeddings.char_filters:
                parts.append(self._spell(form))
            if tag != "none":
                parts.append(self["embeddings.tags"][tag_number])
            embedded.append(torch.cat(parts))
        return embedded

    def _encode(self) -> tuple[list[Tensor], Tensor]:
        x = self._embed()
        last_cells: list[Tensor] = []
        for layer in range(self.config.encoder.layers):
            directions, last_cells = [], []
            for direction in range(2):
                prefix = f"encoder.layers.{layer}."
                weight, recurrent = (
                    self[prefix + "input_weight"][direction],
                    self[prefix + "recurrent_weight"][direction],
                )
                bias = self[prefix + "bias"][direction, 0]
                zeros = torch.zeros(self.config.encoder.size, dtype=torch.float64)
                state, outputs = State(zeros, zeros), []
                for vector in x if direction == 0 else reversed(x):
                    state = lstm_cell(vector @ weight + state.hidden @ recurrent + bias, state.cell)
                    outputs.append(state.hidden)
                directions.append(outputs if direction == 0 else outputs[::-1])
                last_cells.append(state.cell)
            x = [torch.cat(both) for both in zip(*directions, strict=True)]
        return x, torch.cat(last_cells)

    def _mlp(self, name: str, x: Tensor) -> Tensor:
        return elu(x @ self[f"{name}.projection.weight"] + self[f"{name}.projection.bias"])

    def start(self) -> Decoding:
        """The decoding before the first step."""
        cell = self.final_cells @ self["decoder.initial.weight"] + self["decoder.initial.bias"]
        return Decoding(PartialTree(len(self.sentence)), State(torch.tanh(cell), cell), {})

    def state(self, decoding: Decoding, focus: int) -> State:
        """s_t: the LSTM over the fused states (the cells too, if they are fused) and the focus word's input."""
        read = [decoding.states.get(decoding.tree.dependent(focus, Slot(slot))) for slot in self.slots]
        return self.fused_state(decoding.previous, read, focus)

    def fused_state(self, previous: State, read: Sequence[State | None], focus: int) -> State:
        """The state of a step that reads these states; one that is missing counts as zeros."""
        size = self.config.decoder.size
        nothing = torch.zeros(size, dtype=torch.float64)
        hidden, cell = previous.hidden, previous.cell
        if read:
            joint, gate = self["decoder.fusion.joint"], self.config.decoder.gate
            values = joint[:, :size].split(size)
            gates = (joint[:, size:] if gate == "gate1" else self["decoder.fusion.gate"]).split(size)
            bias = self["decoder.fusion.gate_bias"]
            hidden_states = [nothing if state is None else state.hidden for state in read]
            cells = [nothing if state is None else state.cell for state in read]
            hidden = fuse(hidden, hidden_states, values, gates, bias, gate)
            if self.config.decoder.fuse_cell:
                cell = fuse(cell, cells, values, gates, bias, gate)
        x = self._mlp("decoder.input", self.encoded[focus])
        gates_of_cell = x @ self["decoder.input_weight"] + hidden @ self["decoder.recurrent_weight"]
        return lstm_cell(gates_of_cell + self["decoder.bias"], cell)

    def arc_logits(self, state: State) -> Tensor:
        """The biaffine score of every position as the head."""
        f1 = self._mlp("arcs.dependent", state.hidden)
        scores = []
        for encoded in self.encoded:
            f2 = self._mlp("arcs.head", encoded)
            bilinear = torch.einsum("a,ab,b->", f1, self["arcs.bilinear"], f2)
            linear = f1 @ self["arcs.dependent_linear"] + f2 @ self["arcs.head_linear"]
            scores.append(bilinear + linear + self["arcs.bias"][0])
        return torch.stack(scores)

    def label_logits(self, state: State, head: int) -> Tensor:
        """The biaffine score of every label of an arc."""
        f1, f2 = self._mlp("labels.dependent", state.hidden), self._mlp("labels.head", self.encoded[head])
        size = self.config.scorers.label_size
        weight = self["labels.bilinear"].view(size, -1, size)
        bilinear = torch.einsum("a,alb,b->l", f1, weight, f2)
        linear = f1 @ self["labels.dependent_linear"] + f2 @ self["labels.head_linear"]
        return bilinear + linear + self["labels.bias"]

    def follow(self, decoding: Decoding, focus: int, head: int, state: State) -> None:
        """Take a step."""
        decoding.tree.attach(focus, head)
        decoding.states[focus] = decoding.previous = state

    def loss(self, heads: Sequence[int], labels: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Cross-entropy of gold arcs (over all positions but the focus word) and of gold labels."""
        decoding = self.start()
        arcs = labels_loss = torch.zeros((), dtype=torch.float64)
        for focus in self.system.order.focus_sequence(len(heads)):
            head = heads[focus - 1]
            state = self.state(decoding, focus)
            logits = self.arc_logits(state)
            candidates = [position for position in range(len(heads) + 1) if position != focus]
            arcs = arcs - logits[head] + torch.logsumexp(logits[candidates], dim=0)
            labels_loss = labels_loss - torch.log_softmax(self.label_logits(state, head), dim=0)[labels[focus - 1]]
            self.follow(decoding, focus, head, state)
        return arcs, labels_loss

    def log_probs(self, decoding: Decoding, focus: int, constraints: Constraints) -> tuple[State, list[float]]:
        """The new state and log-probabilities over legal heads, -inf elsewhere."""
        state = self.state(decoding, focus)
        legal = torch.tensor(legal_heads(decoding.tree, focus, constraints))
        logits = self.arc_logits(state).masked_fill(~legal, float("-inf"))
        return state, torch.log_softmax(logits, dim=0).tolist()

    def best_labels(self, decoding: Decoding, root_label: int | None) -> list[tuple[int, float]]:
        """The best label of each word and its log-probability; the root label is for ROOT's arcs and no others."""
        best = []
        for word in range(1, decoding.tree.n + 1):
            head = decoding.tree.heads[word] or 0
            logits = self.label_logits(decoding.states[word], head)
            if root_label is not None:
                allowed = [(label == root_label) == (head == 0) for label in range(len(logits))]
                logits = logits.masked_fill(~torch.tensor(allowed), float("-inf"))
            log_probs = torch.log_softmax(logits, dim=0)
            label = int(log_probs.argmax())
            best.append((label, float(log_probs[label])))
        return best

    def greedy(self, constraints: Constraints) -> Decoding:
        """Every focus word gets its best legal head."""
        decoding = self.start()
        for focus in self.system.order.focus_sequence(len(self.sentence)):
            state, log_probs = self.log_probs(decoding, focus, constraints)
            best = max(range(len(log_probs)), key=log_probs.__getitem__)
            decoding.log_prob += log_probs[best]
            self.follow(decoding, focus, best, state)
        return decoding

    def all_decodings(self, constraints: Constraints) -> list[Decoding]:
        """Every legal tree with its score, unordered."""
        running = [self.start()]
        for focus in self.system.order.focus_sequence(len(self.sentence)):
            grown = []
            for decoding in running:
                state, log_probs = self.log_probs(decoding, focus, constraints)
                for head, log_prob in enumerate(log_probs):
                    if log_prob > float("-inf"):
                        longer = decoding.copy()
                        longer.log_prob += log_prob
                        self.follow(longer, focus, head, state)
                        grown.append(longer)
            running = grown
        return running
