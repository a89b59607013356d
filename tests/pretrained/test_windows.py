"""Windows over long sentences against a slow search for the best one, and the layout of batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.pretrained.windows import SubwordBatch, plan_windows, window_batch

OPENING, CLOSING = (101,), (102, 103)


@given(st.integers(1, 200), st.integers(1, 40))
def test_every_subword_comes_from_the_window_where_it_has_most_context(n: int, capacity: int) -> None:
    starts, chosen = plan_windows(n, capacity)
    width = min(n, capacity)
    assert starts[0] == 0
    assert starts[-1] == n - width
    for place in range(n):
        contexts = [min(place - start, start + width - 1 - place) for start in starts.tolist()]
        assert contexts[chosen[place]] == max(contexts) >= 0


@pytest.mark.slow
def test_millions_of_subwords_fit_into_memory() -> None:
    starts, chosen = plan_windows(3_000_000, 510)
    assert len(chosen) == 3_000_000
    assert chosen.max() == len(starts) - 1


@given(st.integers(41, 300))
def test_away_from_the_ends_a_quarter_of_a_window_is_on_both_sides(n: int) -> None:
    capacity = 40
    starts, chosen = plan_windows(n, capacity)
    for place in range(n):
        start = int(starts[chosen[place]])
        assert place - start >= min(place, capacity // 4 - 1)
        assert start + capacity - 1 - place >= min(n - 1 - place, capacity // 4 - 1)


def laid_out(
    lengths: list[list[int]], subwords: str = "mean", limit: int = 13, **special: tuple[int, ...]
) -> SubwordBatch:
    """Sentences of words of so many sub-words, numbered from 1000 on, with rows one after another."""
    numbers = iter(range(1000, 9999))
    sentences = [[tuple(next(numbers) for _ in range(length)) for length in words] for words in lengths]
    offsets = np.cumsum([0, *(len(words) + 1 for words in lengths)])
    rows = [np.arange(offset, offset + len(words) + 1) for offset, words in zip(offsets, lengths, strict=False)]
    return window_batch(
        sentences,
        rows,
        opening=special.get("opening", OPENING),
        closing=special.get("closing", CLOSING),
        padding=0,
        limit=limit,
        subwords=subwords,  # type: ignore[arg-type]
    )


def kept_tokens(batch: SubwordBatch) -> dict[int, list[int]]:
    """The tokens that stand for each row."""
    tokens = np.concatenate([chunk.tokens.flatten()[chunk.kept] for chunk in batch.chunks])
    found: dict[int, list[int]] = {row: [] for row in range(len(batch.counts))}
    for row, token in zip(batch.rows.tolist(), tokens.tolist(), strict=True):
        found[row].append(token)
    assert [len(found[row]) for row in found] == batch.counts.tolist()
    return {row: sorted(tokens) for row, tokens in found.items()}


def test_root_is_the_opening_token_and_words_are_all_their_subwords() -> None:
    batch = laid_out([[2, 1], [1]])
    assert kept_tokens(batch) == {0: [101], 1: [1000, 1001], 2: [1002], 3: [101], 4: [1003]}
    assert batch.chunks[0].tokens.tolist() == [[101, 1000, 1001, 1002, 102, 103], [101, 1003, 102, 103, 0, 0]]
    assert batch.chunks[0].mask.sum(axis=1).tolist() == [6, 4]


@pytest.mark.parametrize(("subwords", "expected"), [("first", [1000, 1003]), ("last", [1002, 1003])])
def test_first_and_last(subwords: str, expected: list[int]) -> None:
    assert kept_tokens(laid_out([[3, 1]], subwords)) == {0: [101], 1: expected[:1], 2: expected[1:]}


def test_root_without_an_opening_token() -> None:
    assert kept_tokens(laid_out([[1, 1]], opening=()))[0] == [103]
    assert kept_tokens(laid_out([[1, 2]], opening=(), closing=())) == {
        0: [1000, 1001, 1002],
        1: [1000],
        2: [1001, 1002],
    }


@pytest.mark.parametrize("words", [[1] * 100, [150], [1, 40, 1], [30, 30, 30]])
def test_long_sentences_and_long_words_lose_nothing(words: list[int]) -> None:
    batch = laid_out([words, [1]])
    kept = kept_tokens(batch)
    assert sorted(token for row in range(1, len(words) + 1) for token in kept[row]) == list(
        range(1000, 1000 + sum(words))
    )
    assert kept[0] == [101]
    assert all(chunk.tokens.shape[1] <= 13 for chunk in batch.chunks)


def test_many_windows_go_through_the_model_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    together = kept_tokens(laid_out([[1, 2, 3], [5], [2, 2]]))
    monkeypatch.setattr("pointree.pretrained.windows._CHUNK_TOKENS", 1)
    batch = laid_out([[1, 2, 3], [5], [2, 2]])
    assert len(batch.chunks) == 3
    assert kept_tokens(batch) == together


@pytest.mark.parametrize("max_tokens", [1, 9, 17, 1_000])
def test_a_split_chunk_keeps_the_same_places(max_tokens: int) -> None:
    from pointree.pretrained.windows import Chunk, split_chunk

    tokens = np.arange(40).reshape(5, 8)
    kept = np.array([1, 2, 9, 15, 16, 30, 39])
    pieces = list(split_chunk(Chunk(tokens, tokens > 0, kept), max_tokens))
    assert np.array_equal(np.concatenate([piece.tokens for piece in pieces]), tokens)
    assert np.array_equal(np.concatenate([piece.tokens.flatten()[piece.kept] for piece in pieces]), kept)
    assert all(len(piece.tokens) == 1 or piece.tokens.size <= max_tokens for piece in pieces)
