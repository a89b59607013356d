"""A fine-tuned BERT on the engine onnx: words in, one vector for each word and layer out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pointree.batches.layout import Layout
from pointree.config import Config
from pointree.engines.onnx_session import Session
from pointree.engines.onnx_weights import RowTable
from pointree.pretrained.bert_settings import BertSettings
from pointree.pretrained.subwords import SubwordTokenizer
from pointree.pretrained.windows import split_chunk, window_batch
from pointree.pretrained.word_pieces import WordPieces

__all__ = ["PIECE_TABLE", "OnnxBert"]

PIECE_TABLE = "embeddings.pretrained.model.model.embeddings.word_embeddings.weight"

_PIECE_TOKENS = 512
"""Sub-words that go through the model before the next pause."""


class OnnxBert:
    """See `PretrainedModel` and `PretrainedEmbedding`, of which this is both."""

    def __init__(
        self,
        session: Session,
        config: Config,
        settings: BertSettings,
        pieces: WordPieces,
        stored: dict[str, np.ndarray],
    ) -> None:
        self._session = session
        self._table = RowTable(stored, PIECE_TABLE)
        self._subwords = config.embeddings.pretrained.subwords
        self._tokenizer = SubwordTokenizer(pieces, config.embeddings.pretrained.model)
        self._limit = min(settings.max_position_embeddings, int(pieces.model_max_length))
        self._mix: NDArray[np.float32] | None = None
        if config.embeddings.pretrained.mix == "learned":
            weights = np.exp(stored["embeddings.pretrained.mix.weights"].astype(np.float32))
            self._mix = stored["embeddings.pretrained.mix.scale"].astype(np.float32) * weights / weights.sum()

    def vectors(self, texts: Sequence[Sequence[str]], positions: Layout) -> Iterator[NDArray[np.float32] | None]:
        """The vectors of all rows, after as many times None as there are pauses. *Shape:* ``(n_rows, width)``."""
        batch = window_batch(
            [self._tokenizer(forms) for forms in texts],
            [positions.table[number, : len(forms) + 1] for number, forms in enumerate(texts)],
            opening=self._tokenizer.opening,
            closing=self._tokenizer.closing,
            padding=self._tokenizer.padding,
            limit=self._limit,
            subwords=self._subwords,
        )
        found = []
        for chunk in batch.chunks:
            for piece in split_chunk(chunk, _PIECE_TOKENS):
                feed = {"pieces": self._table[piece.tokens], "mask": piece.mask.astype(np.float32), "kept": piece.kept}
                found.append(self._session.run(["vectors"], feed)[0])
                yield None
        vectors = np.concatenate(found) if len(found) > 1 else found[0]
        # Every row has a sub-word, so the sums start where the sorted rows change.
        order = np.argsort(batch.rows, kind="stable")
        starts = np.concatenate(([0], np.cumsum(batch.counts)[:-1]))
        means = np.add.reduceat(vectors[order], starts, axis=0) / batch.counts.astype(np.float32)[:, None, None]
        yield means[:, 0] if self._mix is None else np.einsum("rlw,l->rw", means, self._mix)
