"""Where the network gets its pretrained vectors from: a frozen model, with or without a cache, or a fine-tuned one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from pointree.nn.packing import Packing
from pointree.pretrained.cache import CachedVectors, FeatureCache, text_key
from pointree.pretrained.cache_folder import CacheFolder
from pointree.pretrained.model import PretrainedModel
from pointree.pretrained.windows import SubwordBatch

__all__ = ["FrozenFeatures", "PretrainedFeatures", "TrainedFeatures"]

_BATCH_SENTENCES, _BATCH_WORDS = 64, 2_000

Forms = Sequence[str]


class PretrainedFeatures(Protocol):
    """Turns the words of sentences into what `PretrainedEmbedding` reads."""

    model: PretrainedModel

    def inputs(self, sentences: Sequence[Forms], positions: Packing) -> Tensor | SubwordBatch:
        """The input of a batch; the sentences are in the order of the packing."""


class TrainedFeatures:
    """A fine-tuned model is a part of the network, so a batch only needs the sub-words."""

    def __init__(self, model: PretrainedModel) -> None:
        self.model = model

    def inputs(self, sentences: Sequence[Forms], positions: Packing) -> SubwordBatch:
        """See `PretrainedFeatures`."""
        return self.model.lay_out(sentences, _rows(sentences, positions))


class FrozenFeatures:
    """A frozen model never changes, so its vectors, rounded to bfloat16, may be cached."""

    def __init__(self, model: PretrainedModel, caches: CacheFolder | None = None) -> None:
        self.model = model.eval().requires_grad_(False)
        self._caches = caches
        self._cache: FeatureCache | None = caches.open(model) if caches is not None else None

    def __getstate__(self) -> dict[str, Any]:
        # A cache belongs to its process. A copy computes the vectors, which are the same.
        return {**self.__dict__, "_caches": None, "_cache": None}

    def prepare(self, sentences: Iterable[Forms], progress: Callable[[int, int], None] | None = None) -> int:
        """Compute the vectors of all sentences that the cache does not have; returns how many it computed.

        What is computed together depends on the sentences alone and not on what is cached, so that a run that was
        killed while it computed ends with the same vectors as one that was not.
        """
        if self._cache is None or self._caches is None:
            return 0
        texts = {text_key(forms): tuple(forms) for forms in sentences}
        missing = {key for key in texts if key not in self._cache}
        n_rows = sum(len(texts[key]) + 1 for key in missing)
        if not missing:
            return 0
        self._caches.make_room(self._cache, n_rows * self._cache.width * 2)
        done = 0
        if progress is not None:
            progress(0, len(missing))
        for keys in _batches(texts):
            wanted = missing.intersection(keys)
            if not wanted:
                continue
            computed = self._compute([texts[key] for key in keys])
            self._cache.add({key: rows for key, rows in zip(keys, computed, strict=True) if key in wanted})
            done += len(wanted)
            if progress is not None:
                progress(done, len(missing))
        return done

    def inputs(self, sentences: Sequence[Forms], positions: Packing) -> Tensor:
        """See `PretrainedFeatures`. *Shape:* ``(n_rows, n_vectors, width)``, in bfloat16."""
        if self._cache is None:
            return self._vectors(sentences, positions)
        cached = [self._cache.get(text_key(forms)) for forms in sentences]
        absent = [number for number, vectors in enumerate(cached) if vectors is None]
        computed = dict(zip(absent, self._compute([sentences[number] for number in absent]), strict=True))
        packed = np.empty((positions.n_rows, self._cache.width), dtype=np.int16)
        for number, own in enumerate(_rows(sentences, positions)):
            vectors = cached[number]
            packed[own] = computed[number] if vectors is None else vectors
        tensor = torch.from_numpy(packed).view(torch.bfloat16).to(positions.device)
        return tensor.view(positions.n_rows, self.model.n_vectors, -1)

    def _compute(self, sentences: Sequence[Forms]) -> list[CachedVectors]:
        """The vectors of sentences in any order, in the form in which they are cached."""
        if not sentences:
            return []
        order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
        positions = Packing.of([len(sentences[number]) + 1 for number in order])
        ordered = [sentences[number] for number in order]
        vectors = self._vectors(ordered, positions).flatten(1).cpu().view(torch.int16).numpy()
        found = dict(zip(order, (vectors[own] for own in _rows(ordered, positions)), strict=True))
        return [found[number] for number in range(len(sentences))]

    def _vectors(self, sentences: Sequence[Forms], positions: Packing) -> Tensor:
        with torch.no_grad():
            vectors: Tensor = self.model(self.model.lay_out(sentences, _rows(sentences, positions)))
        return vectors.to(torch.bfloat16)


def _rows(sentences: Sequence[Forms], positions: Packing) -> list[np.ndarray]:
    """The rows of ROOT and of the words of each sentence."""
    return [positions.table[number, : len(forms) + 1] for number, forms in enumerate(sentences)]


def _batches(texts: dict[bytes, tuple[str, ...]]) -> Iterator[list[bytes]]:
    """Sentences of similar length together, longest first; the order depends on nothing but the sentences."""
    batch: list[bytes] = []
    words = 0
    for key in sorted(texts, key=lambda key: (-len(texts[key]), key)):
        if batch and (len(batch) == _BATCH_SENTENCES or words + len(texts[key]) > _BATCH_WORDS):
            yield batch
            batch, words = [], 0
        batch.append(key)
        words += len(texts[key])
    if batch:
        yield batch
