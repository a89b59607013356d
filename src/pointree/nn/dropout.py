"""Dropout as the paper's parser uses it: whole vectors, and masks that all steps of a sentence share."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["drop_rows", "drop_shared", "dropout_mask"]


def dropout_mask(shape: tuple[int, ...], probability: float, like: Tensor) -> Tensor:
    """A mask of zeros and ``1 / (1 - probability)``, with the type and device of ``like``."""
    keep = 1.0 - probability
    return torch.empty(shape, dtype=like.dtype, device=like.device).bernoulli_(keep).div_(keep)


def drop_rows(features: Tensor, probability: float, training: bool) -> Tensor:
    """Drop whole vectors. *Shape:* ``(n_rows, width)``."""
    if not training or probability == 0.0:
        return features
    return features * dropout_mask((features.shape[0], 1), probability, features)


def drop_shared(features: Tensor, owners: Tensor, n_owners: int, probability: float, training: bool) -> Tensor:
    """Drop the same dimensions in all vectors of one sentence.

    *Shape:* ``features`` is ``(n_rows, width)``, ``owners`` has the sentence of each row, ``(n_rows,)``.
    """
    if not training or probability == 0.0:
        return features
    mask = dropout_mask((n_owners, features.shape[1]), probability, features)
    return features * mask.index_select(0, owners)
