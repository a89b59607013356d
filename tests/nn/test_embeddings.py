"""Tests of the input of the encoder."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pointree.config import EmbeddingsConfig
from pointree.nn.batch import Batch
from pointree.nn.embeddings import Embeddings
from pointree.nn.packing import Packing

WORDS, CHARS, TAGS = 8, 6, 5
SIZES = {"word_size": 4, "char_size": 3, "char_filters": 2, "tag_size": 3}


def new_embeddings(**choices: object) -> Embeddings:
    torch.manual_seed(0)
    config = EmbeddingsConfig(**{**SIZES, "dropout": 0.0, "unk_replacement": 0.0, **choices})  # type: ignore[arg-type]
    return Embeddings(config, n_words=WORDS, n_chars=CHARS, n_tags=TAGS)


def new_batch(words: list[int]) -> Batch:
    n = len(words)
    return Batch(
        positions=Packing.of([n]),
        words=torch.tensor(words),
        tags=torch.arange(n) % TAGS,
        forms=torch.arange(n) % 2,
        chars=torch.tensor([[[3], [4]], [[5], [0]]]),
        char_lengths=torch.tensor([2, 1]),
    )


def test_parts_stand_side_by_side_words_first_then_characters_then_tags() -> None:
    embeddings, batch = new_embeddings(), new_batch([2, 5, 7])
    found = embeddings(batch, torch.float32)
    assert found.shape == (3, embeddings.size) == (3, 9)
    assert embeddings.words is not None
    assert embeddings.tags is not None
    assert embeddings.chars is not None
    torch.testing.assert_close(found[:, :4], embeddings.words[batch.words])
    spelled = embeddings.chars(batch.chars, batch.char_lengths, torch.float32)
    torch.testing.assert_close(found[:, 4:6], spelled[batch.forms])
    torch.testing.assert_close(found[:, 6:], embeddings.tags[batch.tags])


@pytest.mark.parametrize(
    ("choices", "size"), [({"word_size": 0}, 5), ({"char_filters": 0}, 7), ({"tag": "none"}, 6)], ids=str
)
def test_a_part_that_is_off_has_no_parameters(choices: dict[str, object], size: int) -> None:
    embeddings = new_embeddings(**choices)
    assert embeddings.size == size
    assert embeddings(new_batch([2, 3]), torch.float32).shape == (2, size)
    assert len({name.split(".")[0] for name, _parameter in embeddings.named_parameters()}) == 2


def test_words_seen_once_become_unknown_now_and_then_in_training_only() -> None:
    embeddings = new_embeddings(unk_replacement=0.5)
    embeddings.set_singletons(np.array([False] * 6 + [True, True]))
    assert embeddings.words is not None
    words = [6, 3] * 400
    batch, table = new_batch(words), embeddings.words.detach()
    rows = embeddings.train()(batch, torch.float32)[:, :4].detach()
    replaced = (rows == table[1]).all(dim=1)
    assert not replaced[1::2].any(), "a frequent word stays itself"
    assert 0.4 < replaced[::2].float().mean().item() < 0.6
    assert bool((rows[::2][~replaced[::2]] == table[6]).all())
    still = embeddings.eval()(batch, torch.float32)[:, :4]
    torch.testing.assert_close(still, table[batch.words])


def test_dropout_removes_whole_vectors_of_each_part_independently() -> None:
    embeddings = new_embeddings(dropout=0.5).train()
    rows = embeddings(new_batch([4] * 400), torch.float32).detach()
    gone = torch.stack([(part == 0).all(dim=1) for part in rows.split([4, 2, 3], dim=1)], dim=1)
    untouched = torch.stack([(part != 0).all(dim=1) for part in rows.split([4, 2, 3], dim=1)], dim=1)
    assert bool((gone | untouched).all())
    assert len({tuple(row) for row in gone.tolist()}) == 8, "every mixture of dropped parts is met"


def test_pretrained_vectors_replace_the_rows_they_have() -> None:
    embeddings = new_embeddings()
    assert embeddings.words is not None
    before = embeddings.words.detach().clone()
    vectors = np.arange(8, dtype=np.float32).reshape(2, 4)
    embeddings.load_vectors(np.array([3, 7]), vectors)
    assert embeddings.words[[3, 7]].tolist() == vectors.tolist()
    torch.testing.assert_close(embeddings.words[:3], before[:3])
    assert embeddings.words.requires_grad, "vectors are fine-tuned"


def test_vectors_need_word_embeddings() -> None:
    with pytest.raises(ValueError, match="switched off"):
        new_embeddings(word_size=0).load_vectors(np.array([3]), np.zeros((1, 4)))
