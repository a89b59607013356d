"""BERT without dropout: runs and trains a fine-tuned model where `transformers` is not installed.

Parameters have the names that `transformers` gives them, so that the weights of either fit the other.
"""

from __future__ import annotations

from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor, nn

from pointree.pretrained.bert_settings import BertSettings

__all__ = ["Bert", "BertStates"]


class BertStates(NamedTuple):
    """The input of the first layer, and the output of each. *Shape:* each ``(n_texts, n_tokens, width)``."""

    hidden_states: tuple[Tensor, ...]


class Bert(nn.Module):
    """Embeddings of sub-words, then layers of attention."""

    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, output_hidden_states: bool = True) -> BertStates:
        """*Shape:* both ``(n_texts, n_tokens)``; the mask is 0 where a text is filled up."""
        seen = attention_mask.bool()[:, None, None, :]
        return BertStates(self.encoder(self.embeddings(input_ids), seen))

    def get_input_embeddings(self) -> nn.Embedding:
        """The table of sub-words, by the name that `transformers` has for it."""
        return self.embeddings.word_embeddings


class _Embeddings(nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, tokens: Tensor) -> Tensor:
        positions = self.position_embeddings.weight[: tokens.shape[1]]
        summed: Tensor = self.word_embeddings(tokens) + self.token_type_embeddings.weight[0] + positions
        normed: Tensor = self.LayerNorm(summed)
        return normed


class _Layers(nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config.num_hidden_layers))

    def forward(self, embedded: Tensor, seen: Tensor) -> tuple[Tensor, ...]:
        states = [embedded]
        for layer in self.layer:
            states.append(layer(states[-1], seen))
        return tuple(states)


class _Layer(nn.Module):
    def __init__(self, config: BertSettings) -> None:
        super().__init__()
        size, inner = config.hidden_size, config.intermediate_size
        self.heads = config.num_attention_heads
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({name: nn.Linear(size, size) for name in ("query", "key", "value")}),
                "output": _Output(size, size, config.layer_norm_eps),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(size, inner)})
        self.output = _Output(inner, size, config.layer_norm_eps)

    def forward(self, states: Tensor, seen: Tensor) -> Tensor:
        read = self.attention["self"]
        query, key, value = (
            read[name](states).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # type: ignore[index]
            for name in ("query", "key", "value")
        )
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=seen).transpose(1, 2).flatten(-2)
        attended = self.attention["output"](found, states)
        result: Tensor = self.output(F.gelu(self.intermediate["dense"](attended)), attended)
        return result


class _Output(nn.Module):
    """A projection that is added to what was there before."""

    def __init__(self, inputs: int, size: int, eps: float) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, size)
        self.LayerNorm = nn.LayerNorm(size, eps=eps)

    def forward(self, features: Tensor, before: Tensor) -> Tensor:
        normed: Tensor = self.LayerNorm(self.dense(features) + before)
        return normed
