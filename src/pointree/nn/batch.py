"""A batch as the network reads it: packed positions, features and, for training, gold steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor

from pointree.nn.packing import Packing
from pointree.pretrained.windows import SubwordBatch

__all__ = ["Batch", "GoldSteps", "SoftTargets"]


@dataclass(frozen=True, slots=True)
class GoldSteps:
    """The gold steps of a batch, packed: step t of all sentences, then step t + 1.

    *Shape:* all ``(n_rows,)`` but for ``state_ids``, which is ``(n_rows, 1 + n_slots)``, and ``labels`` and
    ``attaching``, which are ``(n_words,)``.

    Attributes:
        steps: The packing of the steps: one for each word or, top-down, nearly two.
        focus: The position of the focus word in its sentence.
        focus_rows: The row of the focus word among the packed positions.
        never: The position that the step can never point at: bottom-up the focus word, top-down ROOT.
        targets: The position that the step should point at: bottom-up the gold head, top-down the next dependent, or
            the focus word to pop it.
        target_rows: The row of that position among the packed positions.
        attaching: The steps that give a word its head; None if all do.
        labels: The gold labels of these steps.
        state_ids: The ids of the decoder states that the step reads, previous state first (see
            `pointree.nn.decoder`). They follow the gold tree or, with `training.exploration`, heads that the network
            predicted.
    """

    steps: Packing
    focus: Tensor
    focus_rows: Tensor
    never: Tensor
    targets: Tensor
    target_rows: Tensor
    labels: Tensor
    state_ids: Tensor
    attaching: Tensor | None = None


@dataclass(frozen=True, slots=True)
class SoftTargets:
    """Distributions that the steps of a batch are to follow besides their gold heads and labels.

    *Shape:* ``heads`` is ``(n_rows, n_positions)``, ``labels`` ``(n_rows, n_labels)``, packed as the gold steps are.
    ``weight`` is their share of the loss.
    """

    heads: Tensor
    labels: Tensor
    weight: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences sorted by length, longest first; position 0 of each is ROOT.

    *Shape:* ``words``, ``tags`` and ``forms`` are ``(n_rows,)``; ``chars`` is ``(n_forms, max_chars, width)``,
    the numbers of each character and of its parts, and ``char_lengths`` ``(n_forms,)``; ``forms`` has the row of
    ``chars`` for each position. ``pretrained`` has the vectors of a frozen model, ``(n_rows, n_vectors, width)``, or
    the sub-words for a fine-tuned one; ``gold`` has the steps of each decoder; ``columns`` has the gold classes of the
    columns to be predicted, ``(n_rows,)`` each, -1 where there is none to learn.
    """

    positions: Packing
    words: Tensor
    tags: Tensor
    forms: Tensor
    chars: Tensor
    char_lengths: Tensor
    gold: tuple[GoldSteps, ...] = ()
    pretrained: Tensor | SubwordBatch | None = None
    columns: Mapping[str, Tensor] = field(default_factory=dict)
