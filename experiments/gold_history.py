"""How much a model relies on right attachments: `python experiments/gold_history.py GOLD.conllu MODEL…`.

For each model, the share of right heads when every step sees the words before it attached as in the gold tree, and when
it sees what greedy search made of them. The first is no result, for no parser knows the gold tree, and no rule keeps it
from closing cycles; the difference is what wrong attachments cost, or a little less.
"""

from __future__ import annotations

import sys
from typing import cast

import torch

from pointree.engines.torch_engine import TorchEngine
from pointree.parser import Parser
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence


@torch.inference_mode()
def gold_history_uas(parser: Parser, sentences: list[Sentence]) -> float:
    """The share of right heads over gold trees, in percent."""
    words = correct = 0
    engine = cast(TorchEngine, parser.engine)
    numbered = [parser.featurizer.numbers_of(sentence, gold=True) for sentence in sentences]
    numbered.sort(key=len, reverse=True)
    for start in range(0, len(numbered), 32):
        batch = engine.featurizer.batch(numbered[start : start + 32])
        loss = engine.network.loss(batch)
        words += loss.predicted.shape[1]
        correct += int((loss.predicted[0] == batch.gold[0].targets).sum())
    return 100.0 * correct / words


def own_history_uas(parser: Parser, sentences: list[Sentence]) -> float:
    """The share of right heads of greedy search, in percent."""
    words = correct = 0
    for sentence, trees in zip(sentences, parser.trees(sentences), strict=True):
        words += len(sentence)
        correct += sum(head == gold for head, gold in zip(trees[0].heads, sentence.heads, strict=True))
    return 100.0 * correct / words


def main(gold: str, *models: str) -> None:
    """Print one line a model."""
    sentences = list(read_conllu(gold))
    for model in models:
        parser = Parser.load(model, precision="fp32", engine="torch")
        print(
            f"{model}: UAS {gold_history_uas(parser, sentences):.2f} over gold trees, "
            f"{own_history_uas(parser, sentences):.2f} over its own"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
