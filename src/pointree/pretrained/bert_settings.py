"""The shape of a BERT, read from its `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["BertSettings"]


@dataclass(frozen=True, slots=True)
class BertSettings:
    """The shape of a BERT, by the names of its `config.json`."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float

    @staticmethod
    def describes(settings: Mapping[str, Any]) -> bool:
        """Whether a `config.json` is that of a plain BERT."""
        usual = {
            "hidden_act": "gelu",
            "position_embedding_type": "absolute",
            "is_decoder": False,
            "add_cross_attention": False,
        }
        return settings.get("model_type") == "bert" and all(
            settings.get(name, value) == value for name, value in usual.items()
        )

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> BertSettings:
        """The shape that a `config.json` describes; a `ValueError` if there can be none of it."""
        found = {name: settings.get(name) for name in cls.__dataclass_fields__}
        for name, value in found.items():
            kind = float if name == "layer_norm_eps" else int
            if not isinstance(value, kind) or value <= 0:
                raise ValueError(f"{name} is {value}")
        shape = cls(**found)  # type: ignore[arg-type]
        if shape.hidden_size % shape.num_attention_heads:
            raise ValueError(f"{shape.hidden_size} numbers for {shape.num_attention_heads} heads")
        return shape
