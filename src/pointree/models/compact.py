"""Make a pretrained model smaller, before a parser is trained with it."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from pointree.config import PretrainedConfig
from pointree.errors import ModelError
from pointree.models.quantise import round_to_4_bits
from pointree.pretrained.loading import input_table, load_pretrained, writing_pretrained

__all__ = ["compact_pretrained"]


def compact_pretrained(source: str, folder: Path, *, layers: int) -> None:
    """Write a smaller pretrained model: the first ``layers`` layers, and a sub-word table that 4 bits can hold."""
    pretrained = load_pretrained(PretrainedConfig(model=source, layers=(layers,)))
    table, n_layers = input_table(pretrained.model), pretrained.identity.n_layers
    if not 0 < layers <= n_layers:
        raise ModelError(f"pretrained model {source}: expected from 1 to {n_layers} layers to keep, found {layers}")
    if not any(isinstance(each, nn.ModuleList) and len(each) == layers for each in pretrained.model.modules()):
        raise ModelError(f"pretrained model {source}: its layers cannot be told apart")
    if table.shape[1] % 32:
        raise ModelError(f"pretrained model {source}: expected a width that 32 divides, found {table.shape[1]}")
    pretrained.model.config.num_hidden_layers = layers  # type: ignore[union-attr]
    with torch.no_grad():
        table.copy_(round_to_4_bits(table))
    with writing_pretrained(folder):
        pretrained.model.save_pretrained(folder)  # type: ignore[operator]
        pretrained.tokenizer.tokenizer.save_pretrained(folder)
