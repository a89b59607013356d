"""The input of the encoder: character, word, tag and pretrained embeddings side by side, each optional (paper §2.2)."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pointree.config import READ_TAGS, EmbeddingsConfig
from pointree.nn import initialise
from pointree.nn.batch import Batch
from pointree.nn.char_cnn import CharCnn
from pointree.nn.dropout import drop_rows
from pointree.pretrained.embedding import PretrainedEmbedding
from pointree.pretrained.identity import PretrainedIdentity
from pointree.vocabulary import UNK

__all__ = ["Embeddings"]


class Embeddings(nn.Module):
    """Concatenates the embeddings that the settings switch on; dropout removes whole vectors of each of them."""

    singletons: Tensor

    def __init__(
        self,
        config: EmbeddingsConfig,
        *,
        n_words: int,
        n_chars: int,
        n_tags: int,
        pretrained: PretrainedIdentity | None = None,
    ) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.unk_replacement = config.unk_replacement
        self.words: nn.Parameter | None = None
        self.chars: CharCnn | None = None
        self.tags: nn.Parameter | None = None
        self.pretrained: PretrainedEmbedding | None = None
        if config.word_size:
            self.words = initialise.xavier(n_words, config.word_size, fan_in=config.word_size, fan_out=1)
        if config.char_filters:
            self.chars = CharCnn(
                n_chars=n_chars, size=config.char_size, filters=config.char_filters, window=config.char_window
            )
        if config.tag in READ_TAGS:
            self.tags = initialise.xavier(n_tags, config.tag_size, fan_in=config.tag_size, fan_out=1)
        self.register_buffer("singletons", torch.zeros(n_words, dtype=torch.bool), persistent=False)
        self.size = config.word_size + config.char_filters + (config.tag_size if config.tag in READ_TAGS else 0)
        if config.pretrained.model:
            if pretrained is None:
                raise ValueError("pretrained embeddings need the identity of their model")
            self.pretrained = PretrainedEmbedding(config.pretrained, pretrained)
            self.size += self.pretrained.width

    def set_singletons(self, singletons: np.ndarray) -> None:
        """Set the words that training sometimes replaces by UNK: those that the training data has once."""
        self.singletons = torch.from_numpy(singletons.astype(bool))

    def load_vectors(self, rows: np.ndarray, vectors: np.ndarray) -> None:
        """Start the given rows of the word table from pretrained vectors."""
        if self.words is None:
            raise ValueError("word embeddings are switched off")
        with torch.no_grad():
            self.words[torch.from_numpy(rows)] = torch.from_numpy(vectors).to(self.words)

    def forward(self, batch: Batch, dtype: torch.dtype) -> Tensor:
        """*Shape:* returns ``(n_rows, size)``."""
        parts = []
        if self.words is not None:
            words = batch.words
            if self.training and self.unk_replacement > 0.0:
                drawn = torch.rand(words.shape, device=words.device) < self.unk_replacement
                words = words.masked_fill(drawn & self.singletons[words], UNK)
            parts.append(F.embedding(words, self.words, sparse=self.training).to(dtype))
        if self.chars is not None:
            parts.append(self.chars(batch.chars, batch.char_lengths, dtype).index_select(0, batch.forms))
        if self.tags is not None:
            parts.append(F.embedding(batch.tags, self.tags).to(dtype))
        if self.pretrained is not None:
            parts.append(self.pretrained(batch.pretrained, dtype))
        return torch.cat([drop_rows(part, self.dropout, self.training) for part in parts], dim=1)
