"""The whole network: the encoding of a batch that the search works on, and the loss of gold trees."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.config import Config
from pointree.nn.batch import Batch, GoldSteps
from pointree.nn.decoder import Decoder
from pointree.nn.dropout import drop_shared, dropout_mask
from pointree.nn.embeddings import Embeddings
from pointree.nn.encoders import new_encoder
from pointree.nn.heads import ColumnHeads
from pointree.nn.linear import softmax_precision
from pointree.nn.packing import Packing
from pointree.nn.scorers import ArcScorer, LabelScorer
from pointree.nn.teacher_forcing import teacher_forced_states
from pointree.pretrained.identity import PretrainedIdentity
from pointree.transitions import ORDERS

__all__ = ["Encoding", "Loss", "PointerNetwork"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """All that the decoder and the search need of a batch, computed once before the first step.

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

    *Shape:* ``arcs``, ``labels`` and ``predicted``, the head that scored best at each step, are ``(n_words,)``, packed
    as the gold steps are. ``columns`` is the sum over all predicted columns, if there are any.
    """

    arcs: Tensor
    labels: Tensor
    predicted: Tensor
    columns: Tensor | None = None

    def objective(self) -> Tensor:
        """The loss of an average word. Adam's epsilon is chosen for this scale."""
        mean = (self.arcs + self.labels).mean()
        return mean if self.columns is None else mean + self.columns / len(self.arcs)


class PointerNetwork(nn.Module):
    """Encoder, structured decoder, pointer, labeler, and the heads of predicted columns."""

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
        order = ORDERS[config.decoder.order]
        self.slots = order.fusion(config.decoder.fusion)
        self._full_dropout = (config.encoder.dropout, config.decoder.dropout, config.scorers.dropout)
        self._full_embedding_dropout = config.embeddings.dropout
        self.output_dropout, self.state_dropout, self.scorer_dropout = self._full_dropout
        self.embeddings = Embeddings(
            config.embeddings, n_words=n_words, n_chars=n_chars, n_tags=n_tags, pretrained=pretrained
        )
        self.encoder = new_encoder(config.encoder, inputs=self.embeddings.size)
        encoding_size, state_size = self.encoder.size, config.decoder.size
        self.decoder = Decoder(
            inputs=encoding_size,
            start_size=self.encoder.state_size,
            size=state_size,
            n_slots=len(self.slots),
            gate=config.decoder.gate,
            dropout=config.decoder.dropout,
            fuse_cell=config.decoder.fuse_cell,
        )
        self.arcs = ArcScorer(state_size=state_size, encoding_size=encoding_size, size=config.scorers.arc_size)
        self.labels = LabelScorer(
            state_size=state_size,
            encoding_size=encoding_size,
            size=config.scorers.label_size,
            n_labels=n_labels,
        )
        self.heads = ColumnHeads(config.heads, inputs=encoding_size, n_classes=n_classes or {})

    def set_dropout(self, share: float, of_embeddings: float = 1.0) -> None:
        """Use a share of the dropout of the settings in encoder, decoder and scorers, and another in embeddings."""
        encoder, decoder, scorers = (share * probability for probability in self._full_dropout)
        self.output_dropout, self.state_dropout, self.scorer_dropout = encoder, decoder, scorers
        self.decoder.dropout = decoder
        self.encoder.set_dropout(encoder)
        self.embeddings.dropout = of_embeddings * self._full_embedding_dropout

    def _drop(self, features: Tensor, rows: Packing, probability: float) -> Tensor:
        return drop_shared(features, rows.sentence_index, rows.batch_size, probability, self.training)

    def _encode(self, batch: Batch, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        embedded = self.embeddings(batch, dtype)
        states, start = self.encoder(embedded, batch.positions)
        return self._drop(states, batch.positions, self.output_dropout), start

    def encode(self, batch: Batch) -> Encoding:
        """Compute everything that does not depend on attachments, in the type of the parameters."""
        states, start = self._encode(batch, self.decoder.recurrent_weight.dtype)
        return self._encoding(states, start, batch.positions)

    def encode_steps(self, batch: Batch) -> Generator[None, None, Encoding]:
        """The same as `encode`, with a pause after every layer; without dropout."""
        embedded = self.embeddings(batch, self.decoder.recurrent_weight.dtype)
        yield
        states, start = yield from self.encoder.steps(embedded, batch.positions)
        return self._encoding(states, start, batch.positions)

    def _encoding(self, states: Tensor, start: Tensor, positions: Packing) -> Encoding:
        keys, biases = self.arcs.head_keys(self.arcs.head(states))
        return Encoding(
            positions=positions,
            initial=self.decoder.initial_state(start),
            input_gates=self.decoder.input_gates(states),
            keys=positions.pad(keys),
            key_biases=positions.pad(biases),
            label_heads=self.labels.head(states),
            columns=self.heads(states),
        )

    def loss(self, batch: Batch, dtype: torch.dtype = torch.float32) -> Loss:
        """The cross-entropies of gold arcs and labels, computed in ``dtype``."""
        gold, positions = batch.gold, batch.positions
        if gold is None:
            raise ValueError("a loss needs gold steps")
        encoded, start = self._encode(batch, dtype)
        states = teacher_forced_states(
            self.decoder,
            self.decoder.initial_state(start),
            self.decoder.input_gates(encoded).index_select(0, gold.focus_rows),
            gold.state_ids,
            gold.steps,
        )
        states = self._drop(states, gold.steps, self.state_dropout)
        arc_dependents, arc_heads = self.arcs.dependent(states), self.arcs.head(encoded)
        label_dependents, label_heads = self.labels.dependent(states), self.labels.head(encoded)
        if self.training and self.scorer_dropout > 0.0:
            # One mask for each space: dependents and heads of a sentence lose the same dimensions.
            size, batch_size = arc_heads.shape[1], positions.batch_size
            mask = dropout_mask((batch_size, size + label_heads.shape[1]), self.scorer_dropout, arc_heads)
            of_steps = mask.index_select(0, gold.steps.sentence_index)
            of_positions = mask.index_select(0, positions.sentence_index)
            arc_dependents = arc_dependents * of_steps[:, :size]
            label_dependents = label_dependents * of_steps[:, size:]
            arc_heads = arc_heads * of_positions[:, :size]
            label_heads = label_heads * of_positions[:, size:]
        arc_logits = self._gold_arc_logits(arc_dependents, arc_heads, gold, positions)
        label_logits = self.labels(label_dependents, label_heads.index_select(0, gold.head_rows))
        return Loss(
            arcs=F.cross_entropy(softmax_precision(arc_logits), gold.heads, reduction="none"),
            labels=F.cross_entropy(softmax_precision(label_logits), gold.labels, reduction="none"),
            predicted=arc_logits.detach().argmax(dim=1),
            columns=self.heads.loss(encoded, batch.columns) if self.heads else None,
        )

    def _gold_arc_logits(self, dependents: Tensor, heads: Tensor, gold: GoldSteps, positions: Packing) -> Tensor:
        """Scores of every position as the head of every focus word; the word itself is no candidate.

        *Shape:* returns ``(n_steps_rows, n_positions)``.
        """
        keys, biases = self.arcs.head_keys(heads)
        scores = torch.baddbmm(
            positions.pad(biases).unsqueeze(1),
            gold.steps.pad(dependents),
            positions.pad(keys).transpose(1, 2),
        )
        logits = scores.flatten(0, 1).index_select(0, gold.steps.flat_index)
        columns = torch.arange(positions.n_steps, device=logits.device)
        lengths = positions.length_tensor.index_select(0, gold.steps.sentence_index)
        impossible = (columns >= lengths.unsqueeze(1)) | (columns == gold.focus.unsqueeze(1))
        return logits.masked_fill(impossible, float("-inf"))
