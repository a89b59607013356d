"""Training by several processes, as `torchrun` starts them: each learns from a part of every batch.

Gradients are those of an average word of the whole batch, so that all processes make the same step, and the step that
one process would make. Each keeps all weights; only the first one writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from pointree.errors import TrainingError, UsageError

__all__ = ["Group", "join_group"]

Item = TypeVar("Item")

_PATIENCE = timedelta(hours=12)
"""How long processes wait for the first one, which may train a tagger or compute vectors meanwhile.

Nobody waits for a process that has ended: its connections end with it.
"""


class Group:
    """The processes of a run; one process alone is a group in which nothing is sent.

    Attributes:
        rank: The number of this process, from 0.
        size: How many there are.
        device: Where this process computes.
    """

    def __init__(self, rank: int = 0, size: int = 1, device: str = "cpu") -> None:
        self.rank = rank
        self.size = size
        self.device = device

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes."""
        return self.rank == 0

    def share(self, items: Sequence[Item]) -> Sequence[Item]:
        """This process's part of some items: every so manieth, so that sorted items are shared fairly."""
        return items[self.rank :: self.size]

    def average(self, dense: Sequence[nn.Parameter], sparse: Sequence[nn.Parameter]) -> None:
        """Add up the gradients of all processes, of which each is weighed by its words already.

        A parameter to which no process has a gradient keeps none.
        """
        if self.size == 1:
            return
        with _told():
            self._add_dense(dense)
            for parameter in sparse:
                self._add_sparse(parameter)

    def _add_dense(self, parameters: Sequence[nn.Parameter]) -> None:
        """One message for all of them: the gradients, and which of them exist."""
        gradients = [
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad for parameter in parameters
        ]
        exist = torch.tensor([float(parameter.grad is not None) for parameter in parameters], device=self.device)
        message = torch.cat([*(gradient.flatten().float() for gradient in gradients), exist])
        dist.all_reduce(message)
        sizes = [gradient.numel() for gradient in gradients]
        *parts, exist = message.split([*sizes, len(parameters)])
        for parameter, part, exists in zip(parameters, parts, exist.tolist(), strict=True):
            if exists:
                parameter.grad = part.view_as(parameter).to(parameter)

    def _add_sparse(self, parameter: nn.Parameter) -> None:
        """Rows and values of every process, one after another; `coalesce` adds up those of one row."""
        if parameter.grad is None:
            rows = torch.zeros(0, dtype=torch.int64, device=self.device)
            values = parameter.detach().new_zeros(0, parameter.shape[1])
        else:
            gradient = parameter.grad.coalesce()
            rows, values = gradient.indices()[0], gradient.values()
        counts = [int(count) for count in self.sum(torch.eye(self.size)[self.rank] * len(rows))]
        if not any(counts):
            return
        padding = max(counts) - len(rows)
        rows = torch.cat([rows, rows.new_zeros(padding)])
        values = torch.cat([values, values.new_zeros(padding, values.shape[1])])
        all_rows = [torch.empty_like(rows) for _ in counts]
        all_values = [torch.empty_like(values) for _ in counts]
        dist.all_gather(all_rows, rows)
        dist.all_gather(all_values, values)
        parameter.grad = torch.sparse_coo_tensor(
            torch.cat([part[:count] for part, count in zip(all_rows, counts, strict=True)]).unsqueeze(0),
            torch.cat([part[:count] for part, count in zip(all_values, counts, strict=True)]),
            parameter.shape,
            check_invariants=False,
        ).coalesce()

    def sum(self, values: Tensor) -> Tensor:
        """The sum over all processes, as 64-bit numbers."""
        if self.size == 1:
            return values.to("cpu", torch.float64)
        found = values.to(self.device, torch.float64)
        with _told():
            dist.all_reduce(found)
        return found.cpu()

    def gather(self, values: Tensor) -> Tensor:
        """The values of all processes as 64-bit numbers, in a row for each rank."""
        rows = torch.zeros(self.size, *values.shape, dtype=torch.float64)
        rows[self.rank] = values
        return self.sum(rows)

    def agree(self, decision: bool) -> bool:
        """What the first process has decided, in all of them."""
        return bool(self.sum(torch.tensor(float(decision and self.is_first))))

    def wait(self) -> None:
        """Go on when all processes are here."""
        self.sum(torch.zeros(1))

    def leave(self) -> None:
        """Go on alone; nothing can be sent any more."""
        if self.size > 1:
            dist.destroy_process_group()

    @contextmanager
    def first_alone(self) -> Iterator[None]:
        """Let the first process do something, and the others only then: they find its files."""
        if not self.is_first:
            self.wait()
        yield
        if self.is_first:
            self.wait()


def join_group(device: str = "cpu") -> Group:
    """The group that `torchrun` announces in the environment, or this process alone.

    Processes on GPUs talk by NCCL, each with the GPU of its local number, others by Gloo.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1 or "RANK" not in os.environ:
        return Group(device=device)
    on_gpu = device.startswith("cuda")
    if on_gpu:
        device = _own_gpu(device)
    if not dist.is_initialized():
        options: dict[str, Any] = {"device_id": torch.device(device)} if on_gpu else {}
        with _told():
            dist.init_process_group("nccl" if on_gpu else "gloo", timeout=_PATIENCE, **options)
    return Group(dist.get_rank(), size, device)


def _own_gpu(device: str) -> str:
    """The GPU of this process: that of its number among the processes of its machine."""
    if device != "cuda":
        raise UsageError(f"device {device}: expected cuda with several processes, which take a GPU each")
    number, count = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if number >= count:
        raise UsageError(f"device cuda: expected a GPU for each process of this machine, found {count}")
    torch.cuda.set_device(number)
    return f"cuda:{number}"


@contextmanager
def _told() -> Iterator[None]:
    """Turn the faults of talking to other processes into one line."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise TrainingError(
            f"another process of the training run has ended ({reason}); resume the run to go on"
        ) from error
