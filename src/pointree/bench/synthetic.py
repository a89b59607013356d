"""Sentences and networks out of thin air: the bench needs neither treebanks nor trained weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import torch

from pointree.config import Config
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.parser import Parser
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import CharVocabulary, LabelVocabulary, Vocabularies, Vocabulary, WordVocabulary

__all__ = ["english_like_lengths", "new_parser", "random_sentences"]

N_WORDS, N_LABELS, WORD_CHARS = 20_000, 50, 5
_TAGS = [f"TAG{number}" for number in range(17)]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _word(number: int) -> str:
    """A word of `WORD_CHARS` letters that is different for every number."""
    letters = []
    for _ in range(WORD_CHARS):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)


def english_like_lengths(count: int, seed: int = 0) -> list[int]:
    """Lengths distributed as in English-EWT: mostly short, 16 words on average, some above 60."""
    random = np.random.default_rng(seed)
    return [int(length) for length in np.clip(random.gamma(1.5, 10.5, count) + 1, 1, 120)]


def random_sentences(lengths: Sequence[int], seed: int = 0) -> list[Sentence]:
    """Sentences of frequent and rare words with random projective trees."""
    random = np.random.default_rng(seed)
    sentences = []
    for length in lengths:
        words = np.minimum(random.zipf(1.3, length), N_WORDS) - 1
        heads = [0, *(int(random.integers(max(1, word - 3), word)) for word in range(2, length + 1))]
        labels = ["root", *(f"label{number}" for number in random.integers(1, N_LABELS, length - 1))]
        tags = [_TAGS[number] for number in random.integers(0, len(_TAGS), length)]
        sentences.append(Sentence.from_words([_word(int(w)) for w in words], upos=tags, head=heads, deprel=labels))
    return sentences


@cache
def _vocabularies() -> Vocabularies:
    """The vocabularies of what `random_sentences` draws from."""
    return Vocabularies(
        words=WordVocabulary.build(Counter({_word(number): 2 for number in range(N_WORDS)}), 2),
        chars=CharVocabulary(_LETTERS),
        tags=Vocabulary(_TAGS),
        deprels=LabelVocabulary(["root", *(f"label{number}" for number in range(1, N_LABELS))]),
    )


def new_parser(config: Config, dtype: torch.dtype = torch.float32, device: str = "cpu") -> Parser:
    """A parser with random weights."""
    torch.manual_seed(0)
    vocabularies = _vocabularies()
    network = new_network(config, vocabularies).eval().requires_grad_(False)
    return Parser(config, vocabularies, TorchEngine(config, vocabularies, network.to(device=device, dtype=dtype)))
