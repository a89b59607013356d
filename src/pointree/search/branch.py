"""What a search asks of an engine: an encoded batch, and one branch of it for each decoder.

A branch computes scores and knows nothing of trees; a search builds trees and multiplies no matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from pointree.batches.layout import Layout
from pointree.search.arrays import Array, Arrays
from pointree.transitions import Order, Relative, Slot

__all__ = ["Branch", "Encoded", "Step"]


class Step(NamedTuple):
    """What a decoder step returns besides the states that it writes to the memory.

    *Shape:* ``queries`` is ``(n, arc_size)``; ``gates``, the openings of the fusion gate, is ``(n, 2, size)``, for
    hidden state and cell; None without fusion.
    """

    queries: Array
    gates: Array | None


class Branch(Protocol):
    """One decoder over an encoded batch.

    All decoder states of a search are kept in one memory, as in `pointree.nn.decoder`: id 0 is the zero vector that
    stands for a missing word, ids 1 … batch_size are the initial states, and the search says where a step writes.

    Attributes:
        order: The order in which words get their heads.
        slots: The words whose states the decoder fuses: dependents of the focus word or, top-down, relatives.
        positions: Where the positions of the sentences lie.
        arrays: The library of all arrays.
    """

    @property
    def order(self) -> Order: ...

    @property
    def slots(self) -> tuple[Slot | Relative, ...]: ...

    @property
    def positions(self) -> Layout: ...

    @property
    def arrays(self) -> Arrays: ...

    def new_memory(self, n_steps: int) -> Array:
        """A memory with room for ``n_steps`` states. *Shape:* ``(1 + batch_size + n_steps, 2, size)``."""

    def step(self, memory: Array, state_ids: Array, rows: Array, start: int) -> Step:
        """Compute decoder states from those of the given ids, and write them to the memory at ``start``.

        *Shape:* ``state_ids`` is ``(n, 1 + n_slots)``, the previous state first; ``rows``, those of the focus words
        among the positions, is ``(n,)``.
        """

    def point(self, queries: Array, count: int) -> Array:
        """Logits of all positions to point at, for the first ``count`` sentences.

        *Shape:* ``queries`` is ``(count · width, arc_size)``; returns ``(count · width, n_positions)``.
        """

    def label_logits(self, states: Array, rows: Array) -> Array:
        """Logits of the labels of arcs.

        *Shape:* ``states`` are hidden states of the steps that made them, ``(n_arcs, size)``; ``rows``, of the
        positions that these pointed at, is ``(n_arcs,)``;
        returns ``(n_arcs, n_labels)``.
        """

    def source_values(self, states: Array) -> Array:
        """What the fusion adds up: each source's projection. *Shape:* ``(1 + n_slots, size)``, both ways."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A batch that an engine has encoded.

    *Shape:* ``columns``, the scores of the classes of each column that the network predicts, are ``(n_rows,
    n_classes)``.

    Attributes:
        branches: The decoders that it was encoded for, by the names of their orders.
    """

    positions: Layout
    branches: Mapping[str, Branch]
    columns: Mapping[str, Array] = field(default_factory=dict)

    def branch(self) -> Branch:
        """The first decoder, which is the only one where one order parses."""
        return next(iter(self.branches.values()))
