"""What a checkpoint within an epoch has beside weights and techniques, so that the rest of the epoch stays the same.

That is what every process has for itself: the losses of its share of the batches, and where its random numbers are.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from pointree.training.distributed import Group

__all__ = ["UnfinishedEpoch"]


class UnfinishedEpoch:
    """The part of an epoch that this process has learned.

    Attributes:
        losses: The losses of arcs and labels, summed over the words from which this process learned.
    """

    def __init__(self, group: Group, device: torch.device) -> None:
        self.group = group
        self.device = device
        self.losses = torch.zeros(2, dtype=torch.float64)

    def state(self) -> dict[str, Tensor]:
        """A row for each process; all of them must call it."""
        found = {"losses": self.group.gather(self.losses)}
        found["random"] = self.group.gather(torch.get_rng_state()).to(torch.uint8)
        if self.device.type == "cuda":
            found["random_cuda"] = self.group.gather(torch.cuda.get_rng_state(self.device)).to(torch.uint8)
        return found

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where the process of this rank stood.

        With another number of processes, nothing can be as it would have been: the random numbers start again as at
        the start of the epoch, and the first process has all the losses.
        """
        rank, losses = self.group.rank, state["losses"].cpu()
        if len(losses) != self.group.size:
            self.losses = losses.sum(dim=0) if self.group.is_first else torch.zeros_like(losses[0])
            return
        self.losses = losses[rank].clone()
        torch.set_rng_state(
            state["random"][rank].cpu().clone()
        )  # torch takes the start of a view's storage for its own
        if self.device.type == "cuda" and "random_cuda" in state:
            torch.cuda.set_rng_state(state["random_cuda"][rank].cpu().clone(), self.device)
