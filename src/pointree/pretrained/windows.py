"""What a pretrained model reads at once: sub-words of sentences, in overlapping windows if a sentence is too long.

Windows follow each other at half their length. A sub-word is taken from the window in which it is farthest
from the edges, so that it has at least a quarter of a window of context on either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointree.config import Subwords

__all__ = ["Chunk", "SubwordBatch", "plan_windows", "split_chunk", "window_batch"]

_CHUNK_TOKENS = 4_096
"""Tokens, padding included, that go through the model together; bounds memory."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Windows of similar length that are read together: arrays of numpy, or tensors where torch reads them.

    *Shape:* ``tokens`` and ``mask`` are ``(n_windows, n_tokens)``; ``kept`` is ``(n_kept,)`` and counts places through
    all windows.
    """

    tokens: Any
    mask: Any
    kept: Any


@dataclass(frozen=True, slots=True)
class SubwordBatch:
    """The windows of a batch, and the row of the batch to which each kept sub-word belongs, chunk after chunk.

    *Shape:* ``rows`` is ``(n_kept,)``, ``counts`` ``(n_rows,)``.
    """

    chunks: tuple[Chunk, ...]
    rows: Any
    counts: Any


def split_chunk(chunk: Chunk, max_tokens: int) -> Iterator[Chunk]:
    """The windows of a chunk, as many together as have ``max_tokens`` tokens, and one at least."""
    n_windows, n_tokens = chunk.tokens.shape
    count = max(1, max_tokens // n_tokens)
    if count >= n_windows:
        yield chunk
        return
    for start in range(0, n_windows, count):
        first, last = start * n_tokens, (start + count) * n_tokens
        kept = chunk.kept[(chunk.kept >= first) & (chunk.kept < last)] - first
        yield Chunk(chunk.tokens[start : start + count], chunk.mask[start : start + count], kept)


def plan_windows(n_subwords: int, capacity: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where windows of up to ``capacity`` sub-words start, and from which of them each sub-word is taken."""
    if n_subwords <= capacity:
        return np.zeros(1, dtype=np.int64), np.zeros(n_subwords, dtype=np.int64)
    stride = max(1, capacity // 2)
    starts = np.append(np.arange(0, n_subwords - capacity, stride), n_subwords - capacity)
    # Of all windows only the last few that start before a sub-word can have it.
    places = np.arange(n_subwords)
    newest = np.searchsorted(starts, places, side="right") - 1
    candidates = np.clip(newest[None, :] - np.arange(3, -1, -1)[:, None], 0, None)
    after = places[None, :] - starts[candidates]
    context = np.minimum(after, capacity - 1 - after)
    return starts, np.take_along_axis(candidates, context.argmax(axis=0)[None, :], axis=0)[0]


@dataclass(slots=True)
class _Window:
    tokens: list[int]
    kept: list[int]
    rows: list[int]


def window_batch(
    sentences: Sequence[Sequence[tuple[int, ...]]],
    rows: Sequence[NDArray[np.int64]],
    *,
    opening: tuple[int, ...],
    closing: tuple[int, ...],
    padding: int,
    limit: int,
    subwords: Subwords,
) -> SubwordBatch:
    """Lay out the sub-words of sentences for the pretrained model.

    Args:
        sentences: For each sentence the sub-words of each word.
        rows: For each sentence the rows of ROOT and of its words in the batch.
        opening: Special tokens before each window.
        closing: Special tokens after each window.
        padding: The token that fills up short windows.
        limit: Tokens of a window, special ones included.
        subwords: Which sub-words stand for a word.

    ROOT is represented by the first special token of the first window; by the last one of the last window where none
    comes before a text; and by all sub-words where there are none at all.
    """
    windows: list[_Window] = []
    for words, own in zip(sentences, rows, strict=True):
        windows += _windows_of(words, own.tolist(), opening, closing, limit, subwords)
    windows.sort(key=lambda window: -len(window.tokens))
    chunks: list[list[_Window]] = []
    for window in windows:
        if not chunks or (len(chunks[-1]) + 1) * len(chunks[-1][0].tokens) > _CHUNK_TOKENS:
            chunks.append([])
        chunks[-1].append(window)
    all_rows = np.array([row for window in windows for row in window.rows], dtype=np.int64)
    counts = np.bincount(all_rows, minlength=sum(len(own) for own in rows))
    return SubwordBatch(
        chunks=tuple(_chunk(chunk, padding) for chunk in chunks),
        rows=all_rows,
        counts=counts,
    )


def _windows_of(
    words: Sequence[tuple[int, ...]],
    rows: Sequence[int],
    opening: tuple[int, ...],
    closing: tuple[int, ...],
    limit: int,
    subwords: Subwords,
) -> list[_Window]:
    flat = [number for word in words for number in word]
    owners: list[int | None] = []
    for word, row in zip(words, rows[1:], strict=True):
        chosen_place = {"first": 0, "last": len(word) - 1}.get(subwords)
        owners += [row if chosen_place in (None, place) else None for place in range(len(word))]
    capacity = limit - len(opening) - len(closing)
    starts, chosen = plan_windows(len(flat), capacity)
    windows = [
        _Window([*opening, *flat[start : start + capacity], *closing], kept=[], rows=[]) for start in starts.tolist()
    ]
    for place, (number, owner) in enumerate(zip(chosen.tolist(), owners, strict=True)):
        if owner is not None:
            windows[number].kept.append(len(opening) + place - int(starts[number]))
            windows[number].rows.append(owner)
    if opening or closing:
        window = windows[0 if opening else -1]
        window.kept.append(0 if opening else len(window.tokens) - 1)
        window.rows.append(rows[0])
    else:
        for place, number in enumerate(chosen.tolist()):
            windows[number].kept.append(place - int(starts[number]))
            windows[number].rows.append(rows[0])
    return windows


def _chunk(windows: Sequence[_Window], padding: int) -> Chunk:
    width = len(windows[0].tokens)
    tokens = np.full((len(windows), width), padding, dtype=np.int64)
    mask = np.zeros((len(windows), width), dtype=np.int64)
    kept: list[int] = []
    for number, window in enumerate(windows):
        tokens[number, : len(window.tokens)] = window.tokens
        mask[number, : len(window.tokens)] = 1
        kept += [number * width + place for place in window.kept]
    return Chunk(tokens, mask, np.array(kept, dtype=np.int64))
