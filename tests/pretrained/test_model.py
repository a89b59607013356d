"""Vectors of words from an pretrained, against a slow reference that reads one window at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from pointree.errors import ModelError
from pointree.pretrained.model import PretrainedModel
from pointree.pretrained.windows import plan_windows

from .small_models import KINDS, LAYERS, SIZES, make_pretrained, open_pretrained, sentences


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One model of each kind that people save."""
    kinds = [kind for kind in KINDS if kind != "slow word pieces"]
    return {kind: make_pretrained(tmp_path_factory.mktemp("encoder"), kind) for kind in kinds}


def rows_of(batch: list[list[str]]) -> list[np.ndarray]:
    offsets = np.cumsum([0, *(len(forms) + 1 for forms in batch)])
    return [np.arange(offset, offset + len(forms) + 1) for offset, forms in zip(offsets, batch, strict=False)]


@torch.no_grad()
def encode(pretrained: PretrainedModel, batch: list[list[str]]) -> list[Tensor]:
    """The vectors of ROOT and the words of each sentence."""
    rows = rows_of(batch)
    vectors = pretrained(pretrained.lay_out(batch, rows))
    return [vectors[torch.from_numpy(own)] for own in rows]


@torch.no_grad()
def encode_slowly(pretrained: PretrainedModel, forms: list[str], subwords: str = "mean") -> Tensor:
    """The mean of layers and sub-words of one sentence, window by window and word by word, without padding."""
    tokenizer = pretrained.tokenizer
    words = tokenizer(forms)
    flat = [number for word in words for number in word]
    capacity = pretrained.limit - len(tokenizer.opening) - len(tokenizer.closing)
    starts, chosen = plan_windows(len(flat), capacity)
    states, first, everything = [], None, []
    for start in starts.tolist():
        tokens = torch.tensor([[*tokenizer.opening, *flat[start : start + capacity], *tokenizer.closing]])
        hidden: Any = pretrained.model(input_ids=tokens, output_hidden_states=True)
        mean = torch.stack([hidden.hidden_states[layer][0] for layer in pretrained.layers]).mean(dim=0)
        first = mean[0] if first is None else first
        states.append(mean[len(tokenizer.opening) :])
    everything = [states[window][place - starts[window]] for place, window in enumerate(chosen.tolist())]
    vectors = [first if tokenizer.opening else torch.stack(everything).mean(dim=0)]
    place = 0
    for word in words:
        own = torch.stack(everything[place : place + len(word)])
        vectors.append({"mean": own.mean(dim=0), "first": own[0], "last": own[-1]}[subwords])
        place += len(word)
    return torch.stack([vector for vector in vectors if vector is not None])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "slow word pieces"])
def test_vectors_are_those_of_the_slow_reference(kind: str, folders: dict[str, Path]) -> None:
    """Also those of sentences and words that are longer than a window, and of words of which nothing is left."""
    pretrained = open_pretrained(folders[kind])
    batch = [["tea" * 60, "is", "nice"], ["it"] * 45, *sentences()[:6], ["a", "\u200b", "b"], ["a"]]
    for forms, vectors in zip(batch, encode(pretrained, batch), strict=True):
        torch.testing.assert_close(vectors[:, 0], encode_slowly(pretrained, forms), atol=1e-4, rtol=1e-4)
        assert vectors.shape == (len(forms) + 1, 1, SIZES["hidden_size"])


@pytest.mark.parametrize("subwords", ["first", "last"])
def test_first_and_last_subwords(subwords: str, folders: dict[str, Path]) -> None:
    pretrained = open_pretrained(folders["word pieces"], subwords=subwords, layers=(2,))
    [vectors] = encode(pretrained, [sentences()[0]])
    expected = encode_slowly(pretrained, sentences()[0], subwords)
    torch.testing.assert_close(vectors[:, 0], expected, atol=1e-4, rtol=1e-4)


def test_a_sentence_has_the_same_vectors_in_every_batch(folders: dict[str, Path]) -> None:
    pretrained = open_pretrained(folders["word pieces"])
    batch = sentences()[:12]
    for forms, vectors in zip(batch, encode(pretrained, batch), strict=True):
        [alone] = encode(pretrained, [forms])
        torch.testing.assert_close(vectors, alone, atol=1e-4, rtol=1e-4)


def test_windows_of_a_model_that_sees_no_neighbours_are_a_single_pass(tmp_path: Path) -> None:
    """Where attention adds nothing and places look alike, it cannot matter how a sentence is cut."""
    pretrained = open_pretrained(make_pretrained(tmp_path, max_position_embeddings=400))
    with torch.no_grad():
        for name, parameter in pretrained.model.named_parameters():
            if "attention.output.dense" in name or "position_embeddings" in name:
                parameter.zero_()
    forms = [form for each in sentences()[:4] for form in each]
    [single] = encode(pretrained, [forms])
    pretrained.limit = 20
    [windows] = encode(pretrained, [forms])
    torch.testing.assert_close(windows, single, atol=1e-4, rtol=1e-4)


def test_layers_are_counted_from_the_input_or_from_the_end(folders: dict[str, Path]) -> None:
    folder, forms = folders["word pieces"], sentences()[0]
    assert open_pretrained(folder, layers=(-1, -3, 0)).layers == (3, 1, 0)
    [each] = encode(open_pretrained(folder, layers=(1, -1), mix="learned"), [forms])
    [first], [last] = (encode(open_pretrained(folder, layers=(layer,)), [forms]) for layer in (1, LAYERS))
    assert torch.equal(each, torch.cat([first, last], dim=1))


@pytest.mark.parametrize("layers", [(4,), (1, -4), (17, 18)])
def test_layers_out_of_range(layers: tuple[int, ...], folders: dict[str, Path]) -> None:
    wrong = ", ".join(str(layer) for layer in layers if abs(layer) > LAYERS)
    message = rf"layers must be from 0 to 3 or from -3 to -1, found {wrong}$"
    with pytest.raises(ModelError, match=message):
        open_pretrained(folders["word pieces"], layers=layers)


def test_a_model_without_room_for_words(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="expected room for words, found a limit of 2 tokens"):
        open_pretrained(make_pretrained(tmp_path, max_position_embeddings=2))


def test_the_limit_is_that_of_the_positions(folders: dict[str, Path]) -> None:
    assert open_pretrained(folders["word pieces"]).limit == 40
    assert open_pretrained(folders["bytes"]).limit == 38, "the padding has a position too, and words start after it"
