"""torch's side of the array operations that search is written in; see `pointree.search.arrays`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from pointree.search.arrays import Kind

__all__ = ["TorchArrays"]

_KINDS = {"int": torch.int64, "float": torch.float32, "bool": torch.bool}


class TorchArrays:
    """`Arrays` on a device."""

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def from_numpy(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def to_numpy(self, array: Tensor) -> np.ndarray:
        wide = array.float() if array.dtype == torch.bfloat16 else array  # numpy has no type for it
        found: np.ndarray = wide.cpu().numpy()
        return found

    def full(self, shape: Sequence[int], value: float, kind: Kind) -> Tensor:
        return torch.full(tuple(shape), value, dtype=_KINDS[kind], device=self.device)

    def arange(self, start: int, stop: int) -> Tensor:
        return torch.arange(start, stop, device=self.device)

    def copy(self, array: Tensor) -> Tensor:
        return array.clone()

    def gather(self, table: Tensor, columns: Tensor) -> Tensor:
        return table.gather(1, columns)

    def put(self, table: Tensor, columns: Tensor, values: Tensor) -> None:
        table.scatter_(1, columns, values)

    def where(self, condition: Tensor, yes: Tensor, no: Tensor | float) -> Tensor:
        return torch.where(condition, yes, no)

    def minimum(self, first: Tensor, second: Tensor) -> Tensor:
        return torch.minimum(first, second)

    def maximum(self, first: Tensor, second: Tensor) -> Tensor:
        return torch.maximum(first, second)

    def join(self, arrays: Sequence[Tensor]) -> Tensor:
        return torch.cat(list(arrays), dim=1)

    def repeat(self, array: Tensor, count: int) -> Tensor:
        return array.repeat_interleave(count)

    def nonzero(self, array: Tensor) -> Tensor:
        return array.nonzero().squeeze(1)

    def distinct(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        distinct, inverse = torch.unique(numbers, return_inverse=True)
        return distinct, inverse

    def best(self, table: Tensor) -> tuple[Tensor, Tensor]:
        values, columns = table.max(dim=1, keepdim=True)
        return values, columns

    def top(self, table: Tensor, count: int) -> tuple[Tensor, Tensor]:
        values, columns = table.topk(count, dim=1)
        return values, columns

    def ranking(self, table: Tensor) -> Tensor:
        return table.argsort(dim=1, descending=True, stable=True)

    def exp(self, array: Tensor) -> Tensor:
        return array.exp()

    def log_softmax(self, table: Tensor) -> Tensor:
        return table.log_softmax(dim=1)

    def finite(self, logits: Tensor) -> Tensor:
        return logits.float().nan_to_num(nan=0.0).clamp_(-1e30, 1e30)
