"""The whole network: the encoding of a batch that the search works on, and the loss of gold trees."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.config import Config
from pointree.nn.batch import Batch, GoldSteps, SoftTargets
from pointree.nn.decoder import Decoder
from pointree.nn.dropout import drop_shared, dropout_mask
from pointree.nn.embeddings import Embeddings
from pointree.nn.encoders import new_encoder
from pointree.nn.heads import ColumnHeads
from pointree.nn.linear import softmax_precision
from pointree.nn.packing import Packing
from pointree.nn.scorers import ArcScorer, LabelScorer
from pointree.nn.segmenter import SegmenterNetwork
from pointree.nn.teacher_forcing import teacher_forced_states
from pointree.pretrained.identity import PretrainedIdentity
from pointree.transitions import TransitionSystem

__all__ = ["Encoding", "Loss", "PointerNetwork"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """All that one decoder and the search need of a batch, computed once before the first step.

    *Shape:* ``initial`` is ``(batch_size, 2, size)``, ``input_gates`` ``(n_rows, 4 · size)``, ``keys`` ``(batch_size,
    n_positions, arc_size)``, ``key_biases`` ``(batch_size, n_positions)``, ``label_heads`` ``(n_rows, label_size)`` and
    ``columns``, the scores of the classes of each column that the network predicts, ``(n_rows, n_classes)``.
    """

    positions: Packing
    initial: Tensor
    input_gates: Tensor
    keys: Tensor
    key_biases: Tensor
    label_heads: Tensor
    columns: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loss:
    """The cross-entropies of a batch's arcs and labels (paper §3.2: both are minimised together).

    *Shape:* ``arcs``, ``labels`` and ``predicted``, the position that scored best at each step, are ``(n_decoders,
    n_steps_rows)``, packed as the gold steps of each decoder are; steps without a label have 0 there. ``columns`` is
    the sum over all predicted columns, if there are any.
    """

    arcs: Tensor
    labels: Tensor
    predicted: Tensor
    n_words: int
    columns: Tensor | None = None

    def objective(self) -> Tensor:
        """The loss of an average word. Adam's epsilon is chosen for this scale."""
        mean = (self.arcs + self.labels).mean()
        if (n_steps := self.arcs.shape[1]) != self.n_words:
            mean = mean * (n_steps / self.n_words)
        return mean if self.columns is None else mean + self.columns / self.n_words


class PointerNetwork(nn.Module):
    """Encoder, structured decoder, pointer, labeler, and the heads of predicted columns.

    A network of several orders has a decoder for each; encoder, pointer and labeler are shared.

    Attributes:
        systems: What the decoders do, by the names of their orders.
        decoder_of: The decoders, likewise.
        order_las: The LAS on dev of each order on its own, if there are several; zeros while nobody has measured it.
    """

    order_las: Tensor

    def __init__(
        self,
        config: Config,
        *,
        n_words: int,
        n_chars: int,
        n_tags: int,
        n_labels: int,
        n_classes: Mapping[str, int] | None = None,
        pretrained: PretrainedIdentity | None = None,
    ) -> None:
        super().__init__()
        systems = [TransitionSystem.of(order, config.decoder.fusion) for order in config.decoder.orders]
        self._full_dropout = (config.encoder.dropout, config.decoder.dropout, config.scorers.dropout)
        self._full_embedding_dropout = config.embeddings.dropout
        self.output_dropout, self.state_dropout, self.scorer_dropout = self._full_dropout
        self.embeddings = Embeddings(
            config.embeddings, n_words=n_words, n_chars=n_chars, n_tags=n_tags, pretrained=pretrained
        )
        self.encoder = new_encoder(config.encoder, inputs=self.embeddings.size)
        encoding_size, state_size = self.encoder.size, config.decoder.size
        self.systems = {system.order.name: system for system in systems}
        self.decoder_of = {
            order: Decoder(
                inputs=encoding_size,
                start_size=self.encoder.state_size,
                size=state_size,
                n_slots=len(system.slots),
                gate=config.decoder.gate,
                dropout=config.decoder.dropout,
                fuse_cell=config.decoder.fuse_cell,
            )
            for order, system in self.systems.items()
        }
        # Where there is one decoder, its weights have the names that they had when there could be no others.
        if len(systems) == 1:
            [self.decoder] = self.decoder_of.values()
        else:
            self.decoders = nn.ModuleDict(self.decoder_of)
            self.register_buffer("order_las", torch.zeros(len(systems)))
        self.arcs = ArcScorer(state_size=state_size, encoding_size=encoding_size, size=config.scorers.arc_size)
        self.labels = LabelScorer(
            state_size=state_size,
            encoding_size=encoding_size,
            size=config.scorers.label_size,
            n_labels=n_labels,
        )
        self.segmenter: SegmenterNetwork | None = None
        """What cuts raw text, if the model can; it is trained before the rest, and only kept here."""
        self.heads = ColumnHeads(config.heads, inputs=encoding_size, n_classes=n_classes or {})

    @property
    def dtype(self) -> torch.dtype:
        """The type in which a parse is computed."""
        return self.arcs.bilinear.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.arcs.bilinear.device

    @property
    def best_order(self) -> str:
        """The order that does best on its own, for what only one can do; the first while nobody has measured it."""
        best = int(self.order_las.argmax()) if len(self.systems) > 1 else 0
        return list(self.systems)[best]

    def set_dropout(self, share: float, of_embeddings: float = 1.0) -> None:
        """Use a share of the dropout of the settings in encoder, decoder and scorers, and another in embeddings."""
        encoder, decoder, scorers = (share * probability for probability in self._full_dropout)
        self.output_dropout, self.state_dropout, self.scorer_dropout = encoder, decoder, scorers
        for each in self.decoder_of.values():
            each.dropout = decoder
        self.encoder.set_dropout(encoder)
        self.embeddings.dropout = of_embeddings * self._full_embedding_dropout

    def _drop(self, features: Tensor, rows: Packing, probability: float) -> Tensor:
        return drop_shared(features, rows.sentence_index, rows.batch_size, probability, self.training)

    def _encode(self, batch: Batch, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        embedded = self.embeddings(batch, dtype)
        states, start = self.encoder(embedded, batch.positions)
        return self._drop(states, batch.positions, self.output_dropout), start

    def encode(self, batch: Batch, orders: Sequence[str] | None = None) -> dict[str, Encoding]:
        """Compute everything that does not depend on attachments, for decoders of some orders or all."""
        states, start = self._encode(batch, self.dtype)
        return self._encodings(states, start, batch.positions, orders)

    def encode_steps(
        self, batch: Batch, orders: Sequence[str] | None = None
    ) -> Generator[None, None, dict[str, Encoding]]:
        """The same as `encode`, with a pause after every layer; without dropout."""
        embedded = self.embeddings(batch, self.dtype)
        yield
        states, start = yield from self.encoder.steps(embedded, batch.positions)
        return self._encodings(states, start, batch.positions, orders)

    def _encodings(
        self, states: Tensor, start: Tensor, positions: Packing, orders: Sequence[str] | None
    ) -> dict[str, Encoding]:
        keys, biases = (positions.pad(part) for part in self.arcs.head_keys(self.arcs.head(states)))
        label_heads, columns = self.labels.head(states), self.heads(states)
        return {
            order: Encoding(
                positions=positions,
                initial=self.decoder_of[order].initial_state(start),
                input_gates=self.decoder_of[order].input_gates(states),
                keys=keys,
                key_biases=biases,
                label_heads=label_heads,
                columns=columns,
            )
            for order in orders or self.systems
        }

    def loss(
        self, batch: Batch, dtype: torch.dtype = torch.float32, soft: Sequence[SoftTargets | None] | None = None
    ) -> Loss:
        """The cross-entropies of gold arcs and labels, computed in ``dtype``, with ``soft`` targets of each decoder."""
        positions = batch.positions
        if not batch.gold:
            raise ValueError("a loss needs gold steps")
        encoded, start = self._encode(batch, dtype)
        states = [
            self._drop(_forced_states(decoder, encoded, start, gold), gold.steps, self.state_dropout)
            for decoder, gold in zip(self.decoder_of.values(), batch.gold, strict=True)
        ]
        arc_heads, label_heads = self.arcs.head(encoded), self.labels.head(encoded)
        arc_mask = label_mask = None
        if self.training and self.scorer_dropout > 0.0:
            # One mask for each space: dependents and heads of a sentence lose the same dimensions.
            sizes = [arc_heads.shape[1], label_heads.shape[1]]
            mask = dropout_mask((positions.batch_size, sum(sizes)), self.scorer_dropout, arc_heads)
            arc_mask, label_mask = mask.split(sizes, dim=1)
        arc_heads = _masked(arc_heads, arc_mask, positions)
        label_heads = _masked(label_heads, label_mask, positions)
        keys, biases = (positions.pad(part) for part in self.arcs.head_keys(arc_heads))
        found = []
        for own_states, gold, target in zip(states, batch.gold, soft or [None] * len(states), strict=True):
            arc_dependents = _masked(self.arcs.dependent(own_states), arc_mask, gold.steps)
            label_dependents = _masked(self.labels.dependent(own_states), label_mask, gold.steps)
            arc_logits = _gold_arc_logits(arc_dependents, keys, biases, gold, positions)
            target_rows = gold.target_rows
            if gold.attaching is not None:
                label_dependents = label_dependents.index_select(0, gold.attaching)
                target_rows = target_rows.index_select(0, gold.attaching)
            label_logits = self.labels(label_dependents, label_heads.index_select(0, target_rows))
            arcs = F.cross_entropy(softmax_precision(arc_logits), gold.targets, reduction="none")
            labels = F.cross_entropy(softmax_precision(label_logits), gold.labels, reduction="none")
            if target is not None:
                arcs = torch.lerp(arcs, _soft_cross_entropy(arc_logits, target.heads), target.weight)
                labels = torch.lerp(labels, _soft_cross_entropy(label_logits, target.labels), target.weight)
            if gold.attaching is not None:
                labels = torch.zeros_like(arcs).index_copy(0, gold.attaching, labels)
            found.append((arcs, labels, arc_logits.detach().argmax(dim=1)))
        arcs, labels, predicted = (torch.stack(parts) for parts in zip(*found, strict=True))
        columns = self.heads.loss(encoded, batch.columns) if self.heads else None
        return Loss(arcs, labels, predicted, positions.n_rows - positions.batch_size, columns)


def _soft_cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """The cross-entropy of a distribution that is zero where logits are -inf. *Shape:* ``(n, k)`` to ``(n,)``."""
    log_probs = softmax_precision(logits).log_softmax(dim=1)
    return -(target * log_probs.masked_fill(log_probs == float("-inf"), 0.0)).sum(dim=1)


def _forced_states(decoder: Decoder, encoded: Tensor, start: Tensor, gold: GoldSteps) -> Tensor:
    """The decoder state of every step over the given trees. *Shape:* ``(n_steps_rows, size)``."""
    gates = decoder.input_gates(encoded).index_select(0, gold.focus_rows)
    return teacher_forced_states(decoder, decoder.initial_state(start), gates, gold.state_ids, gold.steps)


def _masked(features: Tensor, mask: Tensor | None, rows: Packing) -> Tensor:
    """Features of positions or steps, without the dimensions that their sentence loses."""
    return features if mask is None else features * mask.index_select(0, rows.sentence_index)


def _gold_arc_logits(dependents: Tensor, keys: Tensor, biases: Tensor, gold: GoldSteps, positions: Packing) -> Tensor:
    """Scores of every position that a focus word may point at; others have -inf.

    *Shape:* ``keys`` is ``(batch_size, n_positions, arc_size)``, ``biases`` ``(batch_size, n_positions)``; returns
    ``(n_steps_rows, n_positions)``.
    """
    scores = torch.baddbmm(biases.unsqueeze(1), gold.steps.pad(dependents), keys.transpose(1, 2))
    logits = scores.flatten(0, 1).index_select(0, gold.steps.flat_index)
    columns = torch.arange(positions.n_steps, device=logits.device)
    lengths = positions.length_tensor.index_select(0, gold.steps.sentence_index)
    impossible = (columns >= lengths.unsqueeze(1)) | (columns == gold.never.unsqueeze(1))
    return logits.masked_fill(impossible, float("-inf"))
