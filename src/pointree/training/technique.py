"""What parts of training have in common that keep a state of their own beside the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from torch import Tensor

__all__ = ["Technique"]


class Technique(Protocol):
    """A part of training whose state goes to checkpoints, as plain tensors in a group of its own."""

    def state(self) -> dict[str, Tensor]:
        """The tensors from which `load_state` goes on."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where another object of this kind stood."""

    def restart(self) -> None:
        """Start again from the weights that the network has now: it went back to the best ones."""
