"""What every encoder offers to the network: rows in, rows and a start state out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator

from torch import Tensor, nn

from pointree.config import EncoderConfig
from pointree.nn.packing import Packing

__all__ = ["Encoder"]


class Encoder(nn.Module, ABC):
    """Reads the embeddings of whole sentences; the decoder and the scorers see nothing but what it returns.

    A subclass sets ``size`` and ``state_size`` and initialises all of its parameters. It computes in the type of its
    input, which may have fewer bits than its parameters.

    Attributes:
        size: The width of the rows that it returns.
        state_size: The width of the start state that it returns.
    """

    size: int
    state_size: int

    @abstractmethod
    def __init__(self, settings: EncoderConfig, *, inputs: int) -> None:
        super().__init__()

    @abstractmethod
    def forward(self, rows: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        """Encode a batch: a row for each position, ROOT's included, and the state from which the decoder starts.

        *Shape:* ``rows`` is ``(n_rows, inputs)``, packed; returns ``(n_rows, size)``, packed alike, and ``(batch_size,
        state_size)``.
        """

    def steps(self, rows: Tensor, packing: Packing) -> Generator[None, None, tuple[Tensor, Tensor]]:
        """The same as `forward`, with pauses; one without a pause of its own has one at the end."""
        encoded: tuple[Tensor, Tensor] = self(rows, packing)
        yield
        return encoded

    @abstractmethod
    def set_dropout(self, probability: float) -> None:
        """Replace the dropout of the settings. The network itself drops dimensions of the rows that are returned."""

    @abstractmethod
    def flops(self, n_positions: int) -> int:
        """Floating-point operations of the matrix products for one sentence of ``n_positions``, ROOT included.

        A multiply-add counts as two.
        """
