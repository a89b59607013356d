"""What is done to sentences: options of a request, and carrying them out for sentences of many requests at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointree.parser import Parser
from pointree.treebank.sentence import Sentence

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """How sentences are tagged and parsed; sentences with equal options can be parsed together."""

    parse: bool = True
    retag: bool = False
    beam_width: int = 1
    n_best: int = 1
    single_root: bool = True
    projective: bool = False
    probabilities: bool = False


def analyse(parser: Parser, sentences: Sequence[Sentence], analysis: Analysis) -> list[list[Sentence]]:
    """The trees of each sentence, best first; without parsing, each sentence alone, with tags if they are asked for."""
    if not analysis.parse:
        tagged = parser.require_text_model().tag(sentences) if analysis.retag else sentences
        return [[sentence] for sentence in tagged]
    parsed = parser.parse(
        sentences,
        beam_width=analysis.beam_width,
        n_best=analysis.n_best,
        single_root=analysis.single_root,
        projective=analysis.projective,
        probabilities=analysis.probabilities,
        retag=analysis.retag,
    )
    if analysis.n_best == 1:
        return [[tree] for tree in parsed]
    trees: list[list[Sentence]] = []
    for tree in parsed:
        if tree.meta("tree_rank") == "1":
            trees.append([])
        trees[-1].append(tree)
    return trees
