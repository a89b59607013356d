"""Make a pretrained model smaller, before a parser is trained with it."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import nn

from pointree.config import PretrainedConfig
from pointree.errors import ModelError, UsageError
from pointree.models.quantise import round_to_4_bits
from pointree.pretrained.loading import input_table, load_pretrained, writing_pretrained

__all__ = ["compact_pretrained"]


def compact_pretrained(source: str, folder: str | os.PathLike[str], *, layers: int) -> None:
    """Write a smaller copy of a pretrained model, to train a small parser with.

        >>> pointree.compact_pretrained("sentence-transformers/all-MiniLM-L6-v2", "minilm2", layers=2)

    The copy has the first ``layers`` layers, and its table of sub-words is rounded to 4 bits a value, so that
    `pointree.package` can store it in 4 bits without loss. Train with the settings
    ``embeddings.pretrained.model`` = the folder, ``fine_tune = true`` and ``fine_tune_table = false``.

    Args:
        source: A folder, or the id of a model on the Hugging Face Hub.
        folder: Where to write the copy.
        layers: How many layers to keep.
    """
    if os.path.isdir(source) and os.path.realpath(source) == os.path.realpath(folder):
        raise UsageError(f"{source}: a pretrained model cannot be written into its own folder")
    pretrained = load_pretrained(PretrainedConfig(model=source, layers=(layers,)))
    table, n_layers = input_table(pretrained.model), pretrained.identity.n_layers
    if not 0 < layers <= n_layers:
        raise ModelError(f"pretrained model {source}: expected from 1 to {n_layers} layers to keep, found {layers}")
    if not any(isinstance(each, nn.ModuleList) and len(each) == layers for each in pretrained.model.modules()):
        raise ModelError(f"pretrained model {source}: its layers cannot be told apart")
    if table.shape[1] % 32:
        raise ModelError(f"pretrained model {source}: expected a width that 32 divides, found {table.shape[1]}")
    pretrained.model.config.num_hidden_layers = layers  # type: ignore[union-attr]
    target = Path(folder)
    with torch.no_grad():
        table.copy_(torch.from_numpy(round_to_4_bits(table.detach().numpy())))
    with writing_pretrained(target):
        pretrained.model.save_pretrained(target)  # type: ignore[operator]
        pretrained.tokenizer.tokenizer.save_pretrained(target)
