"""pointree itself: a network of the paper's sizes with random weights, or a trained model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import torch

import pointree
from pointree.config import Config
from pointree.engines.torch_engine import TorchEngine
from pointree.engines.torch_folder import new_network
from pointree.options import ParseOptions
from pointree.running.workers import parse_with_workers
from pointree.treebank import Sentence, read_conllu, write_conllu
from pointree.vocabulary import Vocabularies


def prepare(train: Path, folder: Path) -> None:
    """Save a network for the vocabulary of the training data; nothing it computes depends on how good it is."""
    torch.manual_seed(1)
    config = Config()
    vocabularies = Vocabularies.build(
        read_conllu(train), min_count=config.embeddings.min_count, tag=config.embeddings.tag
    )
    TorchEngine(config, vocabularies, new_network(config, vocabularies)).save(folder, "")


def load(folder: Path, settings: dict[str, Any], processes: int) -> Callable[[Path, Path], None]:
    """A function that parses a file into another."""
    precision, beam = settings["precision"], settings["beam"]
    loading = partial(pointree.load, folder, precision=precision)
    parser = loading() if processes == 1 else None

    def trees(sentences: Iterable[Sentence]) -> Iterable[Sentence]:
        if parser is not None:
            return parser.stream(sentences, beam=beam)
        return parse_with_workers(loading, sentences, ParseOptions(beam=beam), workers=processes)

    def parse(source: Path, target: Path) -> None:
        with open(target, "w", encoding="utf-8", newline="") as stream:
            write_conllu(trees(read_conllu(source)), stream)

    return parse
