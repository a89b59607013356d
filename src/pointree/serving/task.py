"""What a request asks for, and how it is done for the sentences of many requests at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pointree.options import ParseOptions
from pointree.parser import SentenceParser
from pointree.treebank.sentence import Sentence

__all__ = ["Task", "run_task"]


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with sentences; requests with equal tasks can share a batch."""

    options: ParseOptions = field(default_factory=ParseOptions)
    parse: bool = True


def run_task(parser: SentenceParser, sentences: Sequence[Sentence], task: Task) -> list[list[Sentence]]:
    """The trees of each sentence, best first; without parsing, each sentence alone, with tags if they are asked for."""
    if not task.parse:
        if task.options.retag:
            text_model = parser.require_text_model()
            for sentence in sentences:
                text_model.fill(sentence, replace=True)
        return [[sentence] for sentence in sentences]
    parsed = list(parser.stream(sentences, task.options, copy=False))
    if task.options.n_best == 1:
        return [[tree] for tree in parsed]
    trees: list[list[Sentence]] = []
    for tree in parsed:
        if tree.meta("tree_rank") == "1":
            trees.append([])
        trees[-1].append(tree)
    return trees
