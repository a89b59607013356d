"""A pretrained transformer: sub-words in, one vector for each word and layer out."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pointree.config import PretrainedConfig
from pointree.errors import ModelError
from pointree.pretrained.identity import PretrainedIdentity
from pointree.pretrained.subwords import SubwordTokenizer
from pointree.pretrained.windows import Chunk, SubwordBatch, split_chunk, window_batch

__all__ = ["PretrainedModel"]


class PretrainedModel(nn.Module):
    """The hidden states of the chosen layers, those of a word's sub-words averaged.

    Attributes:
        model: The transformer, as `transformers.AutoModel` makes it, or our own `Bert`.
        tokenizer: Its tokeniser.
        identity: Where it comes from, its size and the checksum of its weights.
        source: Where it was read from.
        limit: Tokens that it can read at once.
        layers: The chosen layers, counted from the input, which is 0.
    """

    def __init__(
        self,
        model: nn.Module,
        tokenizer: SubwordTokenizer,
        identity: PretrainedIdentity,
        config: PretrainedConfig,
        source: str,
    ) -> None:
        super().__init__()
        self.model = model
        self.tokenizer = tokenizer
        self.identity = identity
        self.source = source
        self.limit = _limit(model, tokenizer, identity.name)
        self.layers = _chosen_layers(config.layers, identity)
        self.subwords = config.subwords
        # A mean needs no layer of its own: nothing is learned before it is taken.
        self.mixed = config.mix == "mean"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_modules": {**self._modules, "model": _without_hooks(self.model)}}

    @property
    def n_vectors(self) -> int:
        """How many vectors each word gets: one, or one a layer if their mix is learned."""
        return 1 if self.mixed else len(self.layers)

    def lay_out(self, sentences: Sequence[Sequence[str]], rows: Sequence[NDArray[np.int64]]) -> SubwordBatch:
        """The sub-words of sentences, given the rows of ROOT and of the words of each."""
        found = window_batch(
            [self.tokenizer(forms) for forms in sentences],
            rows,
            opening=self.tokenizer.opening,
            closing=self.tokenizer.closing,
            padding=self.tokenizer.padding,
            limit=self.limit,
            subwords=self.subwords,
        )
        device = next(self.model.parameters()).device

        def tensor(array: NDArray[np.int64]) -> Tensor:
            return torch.from_numpy(array).to(device)

        chunks = tuple(Chunk(tensor(each.tokens), tensor(each.mask), tensor(each.kept)) for each in found.chunks)
        return SubwordBatch(chunks, tensor(found.rows), tensor(found.counts))

    def forward(self, batch: SubwordBatch) -> Tensor:
        """*Shape:* returns ``(n_rows, n_vectors, width)``."""
        return self.merge(batch, [self._vectors(chunk) for chunk in batch.chunks])

    def pieces(self, batch: SubwordBatch, max_tokens: int) -> Iterator[Tensor]:
        """What `merge` needs, a few windows at a time: whoever asks for the next can do other things before."""
        for chunk in batch.chunks:
            for piece in split_chunk(chunk, max_tokens):
                yield self._vectors(piece)

    def merge(self, batch: SubwordBatch, found: Sequence[Tensor]) -> Tensor:
        """The vectors of all rows. *Shape:* returns ``(n_rows, n_vectors, width)``."""
        vectors = torch.cat(list(found))
        sums = vectors.new_zeros(len(batch.counts), *vectors.shape[1:]).index_add(0, batch.rows, vectors)
        merged: Tensor = sums / batch.counts.to(vectors.dtype)[:, None, None]
        return merged

    def _vectors(self, chunk: Chunk) -> Tensor:
        """The vectors of the sub-words that are kept. *Shape:* returns ``(n_kept, n_vectors, width)``."""
        states: Any = self.model(input_ids=chunk.tokens, attention_mask=chunk.mask, output_hidden_states=True)
        chosen = [states.hidden_states[layer] for layer in self.layers]
        layers = torch.stack([layer.flatten(0, 1).index_select(0, chunk.kept) for layer in chosen], dim=1)
        return layers.mean(dim=1, keepdim=True) if self.mixed else layers


def _without_hooks(model: nn.Module) -> nn.Module:
    """The same model, with the same tensors, but without the hooks of `transformers`, which cannot be pickled.

    `transformers` installs them when a model first runs, and so it does in a copy.
    """
    tensors = (*model.parameters(), *model.buffers())
    clean = copy.deepcopy(model, {id(tensor): tensor for tensor in tensors})
    for module in clean.modules():
        module._forward_hooks.clear()
        module.__dict__.pop("_output_capturing_hooks_installed", None)
    return clean


def _chosen_layers(layers: Sequence[int], identity: PretrainedIdentity) -> tuple[int, ...]:
    """The layers, those that are counted from the end included, as places among the hidden states."""
    n = identity.n_layers
    if wrong := [layer for layer in layers if not -n <= layer <= n]:
        raise ModelError(
            f"pretrained model {identity.name}: embeddings.pretrained.layers must be from 0 to {n} or from -{n} to -1, "
            f"found {', '.join(map(str, wrong))}"
        )
    return tuple(layer if layer >= 0 else n + 1 + layer for layer in layers)


def _limit(model: nn.Module, tokenizer: SubwordTokenizer, name: str) -> int:
    """The longest window: what the table of positions can hold, what the tokeniser says, or 512."""
    limits = [512]
    config: Any = model.config
    if positions := getattr(config, "max_position_embeddings", None):
        limits = [int(positions)]
    for part, module in model.named_modules():
        if isinstance(module, nn.Embedding) and part.endswith("position_embeddings"):
            # Where the padding has a position, those of words start after it.
            first = 0 if module.padding_idx is None else module.padding_idx + 1
            limits.append(module.num_embeddings - first)
    announced = int(tokenizer.tokenizer.model_max_length)  # a huge number where it is not known
    limit = min(*limits, announced)
    if limit <= len(tokenizer.opening) + len(tokenizer.closing):
        raise ModelError(f"pretrained model {name}: expected room for words, found a limit of {limit} tokens")
    return limit
