"""Tiny configurations, networks, vocabularies and sentences that tests of the network, search and parser share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import networkx
import numpy as np
import torch
from numpy.typing import NDArray

from pointree.config import FUSIONS, Config
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.nn.batch import Batch
from pointree.nn.model import PointerNetwork
from pointree.parser import Parser
from pointree.text.udpipe import TextModel
from pointree.training.optimiser import Optimiser
from pointree.transitions import Constraints, paper_name
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import Vocabularies

EWT = Path(__file__).resolve().parent / "fixtures" / "ewt.conllu"

Combination = tuple[str, str, str]

COMBINATIONS: list[Combination] = [
    (order, fusion, gate)
    for order, fusions in FUSIONS.items()
    for fusion in fusions
    for gate in ("gate1", "gate2")
    if fusion != "none" or gate == "gate1"  # without fusion nothing passes through a gate
]
"""Every order × fusion × gate."""

CONSTRAINTS = [Constraints(single_root, projective) for single_root in (True, False) for projective in (True, False)]

NO_DROPOUT: dict[str, dict[str, Any]] = {
    "embeddings": {"dropout": 0.0, "unk_replacement": 0.0},
    "encoder": {"dropout": 0.0},
    "decoder": {"dropout": 0.0},
    "scorers": {"dropout": 0.0},
}

TINY: dict[str, dict[str, Any]] = {
    "embeddings": {"word_size": 6, "char_size": 5, "char_filters": 4, "tag_size": 3, "min_count": 1},
    "encoder": {"size": 8, "layers": 2},
    "decoder": {"size": 10},
    "scorers": {"arc_size": 9, "label_size": 7},
}

HEADS: dict[str, dict[str, Any]] = {
    "embeddings": {"tag": "none"},
    "heads": {"upos": True, "xpos": True, "feats": True, "lemma": True},
}
"""A network that predicts all columns and reads none."""

WORDS = ("ta", "tok", "Ulme", "rosa", "a", "Xanthippe", "mimimi", "zu", "42", "ß", "o", "ender")
TAGS = ("NOUN", "VERB", "DET")
DEPRELS = ("nsubj", "obj", "root", "det")


def describe(combination: Combination) -> str:
    """The name of a combination in the paper's words, as the identifier of a test."""
    order, fusion, gate = combination
    return f"{order}-{paper_name(order, fusion)}" + ("" if fusion == "none" else f"-{gate}")


def merge(*layers: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Sections of a configuration laid over each other."""
    merged: dict[str, dict[str, Any]] = {}
    for layer in layers:
        for section, values in layer.items():
            merged[section] = {**merged.get(section, {}), **values}
    return merged


def tiny_config(combination: Combination = COMBINATIONS[1], *layers: dict[str, dict[str, Any]]) -> Config:
    """A configuration of a few units a layer."""
    order, fusion, gate = combination
    decoder = {"decoder": {"order": order, "fusion": fusion, "gate": gate}}
    return Config.from_dict(merge(TINY, decoder, *layers))


def random_heads(n: int, random: Random, *, single_root: bool = True) -> list[int]:
    """The heads of a random tree: words join in random order, each below one that is there."""
    words = random.sample(range(1, n + 1), n)
    heads = [0] * n
    for place, word in enumerate(words[1:], 1):
        heads[word - 1] = random.choice(words[:place] if single_root else [0, *words[:place]])
    return heads


def random_sentence(n: int, random: Random) -> Sentence:
    """A sentence of ``n`` words with a random gold tree."""
    heads = random_heads(n, random)
    others = [deprel for deprel in DEPRELS if deprel != "root"]
    return Sentence.from_words(
        random.choices(WORDS, k=n),
        upos=random.choices(TAGS, k=n),
        head=heads,
        deprel=[random.choice(others) if head else "root" for head in heads],
    )


def random_sentences(lengths: Iterable[int], seed: int = 0) -> list[Sentence]:
    """Sentences of these lengths with random gold trees."""
    random = Random(seed)
    return [random_sentence(n, random) for n in lengths]


@cache
def tiny_vocabularies(columns: tuple[str, ...] = ()) -> Vocabularies:
    """The vocabularies of what `random_sentence` draws from, two words and some characters being unknown."""
    tags = [TAGS[place % 3] for place in range(len(WORDS) - 2)]
    lemmas = [form[:-1].lower() or form for form in WORDS[:-2]]
    feats = [f"Case={tag}" for tag in tags]
    repeated = [Sentence.from_words(WORDS[:-2], upos=tags, xpos=tags, feats=feats, lemma=lemmas)] * 2
    labelled = Sentence.from_words(
        DEPRELS, upos=["NOUN"] * len(DEPRELS), head=[2, 3, 0, 3][: len(DEPRELS)], deprel=DEPRELS
    )
    return Vocabularies.build([*repeated, labelled], min_count=1, columns=columns)


def torch_parser(
    config: Config, vocabularies: Vocabularies, network: PointerNetwork, text_model: TextModel | None = None
) -> Parser:
    """A parser that runs on torch."""
    return Parser(config, vocabularies, TorchEngine(config, vocabularies, network), text_model)


def tiny_parser(config: Config | None = None, *, seed: int = 0, scale: float = 2.0) -> Parser:
    """A parser with random weights, larger than fresh ones so that its choices differ from word to word."""
    config = config or tiny_config()
    torch.manual_seed(seed)
    vocabularies = tiny_vocabularies(config.predicted_columns)
    network = new_network(config, vocabularies)
    with torch.no_grad():
        for parameter in network.parameters():
            if not parameter.any():
                parameter.normal_(std=0.3)  # biases start as zeros, which would hide that one is left out
            else:
                parameter *= scale
    return torch_parser(config, vocabularies, network.eval())


def make_batch(parser: Parser, sentences: Sequence[Sentence], *, gold: bool = False) -> Batch:
    """A batch of sentences, which must be sorted by falling length."""
    return parser.featurizer.batch([parser.featurizer.numbers_of(sentence, gold=gold) for sentence in sentences])


def by_falling_length(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences in the order that a batch needs."""
    return sorted(sentences, key=lambda sentence: -len(sentence))


def is_tree(heads: Sequence[int], *, single_root: bool = True) -> bool:
    """Whether heads of words 1 … n form a tree under ROOT, in the judgement of networkx."""
    graph = networkx.DiGraph((head, dependent) for dependent, head in enumerate(heads, 1))
    return (
        set(graph) == set(range(len(heads) + 1))
        and networkx.is_arborescence(graph)
        and graph.in_degree(0) == 0
        and (not single_root or graph.out_degree(0) == 1)
    )


def tree_score(scores: NDArray[np.float64], heads: Sequence[int]) -> float:
    """The sum of the scores of a tree's arcs; ``scores`` are those of `pointree.search.spanning_tree`."""
    return float(scores[np.arange(len(heads)), list(heads)].sum())


def ewt_sentences() -> list[Sentence]:
    """The sentences of the fixture."""
    return list(read_conllu(EWT))


def short_ewt_sentences() -> list[Sentence]:
    """The twenty shortest sentences of the fixture."""
    return sorted(ewt_sentences(), key=len)[:20]


OVERFITTING: dict[str, dict[str, Any]] = merge(
    NO_DROPOUT,
    {
        "embeddings": {"word_size": 32, "char_size": 8, "char_filters": 8, "tag_size": 16, "min_count": 1},
        "encoder": {"size": 32, "layers": 1},
        "decoder": {"size": 64},
        "scorers": {"arc_size": 64, "label_size": 32},
        "training": {"learning_rate": 0.01, "beta2": 0.99, "epsilon": 1e-8},
    },
)


def overfit(
    combination: Combination, sentences: Sequence[Sentence], *layers: dict[str, dict[str, Any]], most_steps: int
) -> Parser:
    """Train on all sentences at once until the loss is next to nothing."""
    config = tiny_config(combination, OVERFITTING, *layers)
    torch.manual_seed(1)
    vocabularies = Vocabularies.build(
        sentences, min_count=1, tag=config.embeddings.tag, columns=config.predicted_columns
    )
    network = new_network(config, vocabularies)
    parser = torch_parser(config, vocabularies, network)
    batch = make_batch(parser, by_falling_length(sentences), gold=True)
    optimiser = Optimiser(network, config.training)
    network.train()
    for _step in range(most_steps):
        objective = network.loss(batch).objective()
        objective.backward()
        optimiser.step(config.training.learning_rate)
        if objective.item() < 0.0003:
            break
    network.eval()
    return parser


@cache
def trained_parser() -> Parser:
    """A parser that knows the shortest sentences of the fixture by heart, so that its choices are clear."""
    return overfit(("left-to-right", "simple", "gate1"), short_ewt_sentences(), most_steps=200)
