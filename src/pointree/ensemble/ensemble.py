"""Several models as one parser: their opinions of every arc are combined, and the best legal tree is built of them.

The models may differ in everything: order, sizes, vocabularies, labels. Each parses a sentence greedily on its own;
what it then thinks of all arcs is its posteriors (see `pointree.search.posteriors`). A combination makes one score
of an arc of the posteriors p₁ … pₖ:

posteriors   log of their mean; the tree is the one with the greatest product of mean posteriors
expected     their mean; the tree is the one with most correct arcs to be expected
votes        how many models have the arc in their tree; the mean of the posteriors decides between equals

The tree is a maximum spanning tree or, if asked, a maximum projective tree, with one root word unless told otherwise.
Each arc then gets the label with the greatest mean posterior, a model that does not know a label giving it none. Arcs
of ROOT are labelled by those models alone that have a label for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pointree.config import READ_TAGS
from pointree.errors import UsageError
from pointree.nn.model import Encoding
from pointree.parser import DEFAULT_BATCH_WORDS, Parser, load, with_tree
from pointree.running.batching import plan_batches, windows
from pointree.search import ParseTree
from pointree.search.posteriors import Posteriors, find_posteriors
from pointree.search.projective_tree import maximum_projective_tree
from pointree.search.spanning_tree import Scores, maximum_spanning_tree
from pointree.text.reading import segment_text
from pointree.text.udpipe import TextModel
from pointree.transitions import Constraints
from pointree.treebank.sentence import Sentence

__all__ = ["COMBINATIONS", "Ensemble", "load_ensemble"]

COMBINATIONS = ("posteriors", "expected", "votes")

_WINDOW_SENTENCES = 2_048
_LEAST_PROBABILITY = 1e-30
"""Keeps the log of a posterior finite."""


def load_ensemble(
    models: Sequence[str | os.PathLike[str]],
    *,
    combine: str = "posteriors",
    precision: str = "auto",
    device: str = "cpu",
) -> Ensemble:
    """Load several trained models as one parser; options as in `pointree.load`."""
    return Ensemble([load(model, precision=precision, device=device) for model in models], combine=combine)


class Ensemble:
    """Models that parse together.

    Where there are no tokens or tags, the first model that has a tokeniser and tagger is asked for them; where none
    has, words get the UPOS of the first network that predicts them.
    """

    def __init__(self, parsers: Sequence[Parser], *, combine: str = "posteriors") -> None:
        if not parsers:
            raise UsageError("an ensemble: expected one model at least, found none")
        if combine not in COMBINATIONS:
            raise UsageError(f"combine: expected one of {', '.join(COMBINATIONS)}, found {combine}")
        self.parsers = tuple(parsers)
        self.combine = combine
        self._speaker = next((parser for parser in parsers if parser.text_model is not None), parsers[0])
        tagging = (parser.vocabularies.tags.symbols for parser in parsers if parser.network.tagger is not None)
        self._tags: Sequence[str] = next(tagging, ())
        symbols = [parser.vocabularies.deprels.symbols for parser in parsers]
        self.deprels: list[str] = list(dict.fromkeys(chain.from_iterable(symbols)))
        numbers = {deprel: number for number, deprel in enumerate(self.deprels)}
        self._label_numbers = [np.array([numbers[deprel] for deprel in known], dtype=np.int64) for known in symbols]

    def parse(self, sentences: Iterable[Sentence | Sequence[str]], **options: Any) -> list[Sentence]:
        """Parse sentences, given as `Sentence` objects or as lists of words; options as in `stream`."""
        return list(self.stream(sentences, **options))

    def parse_text(self, text: str, *, presegmented: bool = False, **options: Any) -> list[Sentence]:
        """Split raw text into sentences and words, tag and parse them; options as in `stream`."""
        sentences = segment_text(text, self.require_text_model(), presegmented=presegmented)
        return list(self.stream(sentences, **options))

    def require_text_model(self) -> TextModel:
        """The tokeniser and tagger of the first model that has one; if none has, that is a `ModelError`."""
        return self._speaker.require_text_model()

    def stream(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        *,
        single_root: bool = True,
        projective: bool = False,
        probabilities: bool = False,
        retag: bool = False,
        batch_words: int = DEFAULT_BATCH_WORDS,
    ) -> Iterator[Sentence]:
        """Parse sentences one window after another; options as in `Parser.parse`, probabilities being means."""
        if batch_words < 1:
            raise UsageError(f"batch_words must be at least 1, found {batch_words}")
        constraints = Constraints(single_root=single_root, projective=projective)
        # UPOS are left for the networks to fill in only where none of them reads tags.
        read = any(parser.config.embeddings.tag in READ_TAGS for parser in self.parsers)
        tagged = self._speaker.tagged(sentences, retag, keep_upos=read or not self._tags, readers=self.parsers)
        return self._stream(tagged, constraints, probabilities, batch_words)

    def _stream(
        self, sentences: Iterable[Sentence], constraints: Constraints, probabilities: bool, batch_words: int
    ) -> Iterator[Sentence]:
        for window in windows(sentences, _WINDOW_SENTENCES):
            for sentence, tree in zip(window, self.trees(window, constraints, batch_words), strict=True):
                yield with_tree(sentence, tree, self.deprels, probabilities, self._tags)

    def trees(
        self, sentences: Sequence[Sentence], constraints: Constraints, batch_words: int = DEFAULT_BATCH_WORDS
    ) -> list[ParseTree]:
        """The tree of each sentence, its labels being numbers of `deprels`."""
        results: dict[int, ParseTree] = {}
        lengths = [len(sentence) for sentence in sentences]
        for numbers in plan_batches(lengths, batch_words=batch_words):
            with torch.inference_mode():
                found = self._parse_batch([sentences[number] for number in numbers], constraints)
            results.update(zip(numbers, found, strict=True))
        return [results[number] for number in range(len(sentences))]

    def _parse_batch(self, sentences: Sequence[Sentence], constraints: Constraints) -> list[ParseTree]:
        """Parse sentences that are sorted by falling length."""
        opinions = [_opinion(parser, sentences, constraints) for parser in self.parsers]
        means = np.mean([_numpy(opinion.heads) for opinion in opinions], axis=0)
        votes = np.sum([_votes(opinion) for opinion in opinions], axis=0)
        heads = np.zeros(means.shape[:2], dtype=np.int64)
        for row, sentence in enumerate(sentences):
            n = len(sentence)
            scores = self._scores(means[row, 1 : n + 1, : n + 1], votes[row, 1 : n + 1, : n + 1])
            build = maximum_projective_tree if constraints.projective else maximum_spanning_tree
            heads[row, 1 : n + 1] = build(scores, single_root=constraints.single_root)
        labels = self._mean_labels(opinions, heads)
        tags = next((found for opinion in opinions if (found := _predicted_tags(opinion.encoding))), None)
        return [
            _tree(means[row], heads[row], labels[row], tags[row] if tags else (), len(sentence))
            for row, sentence in enumerate(sentences)
        ]

    def _scores(self, means: Scores, votes: Scores) -> Scores:
        """The scores of the arcs of one sentence. *Shape:* all ``(n, n + 1)``."""
        if self.combine == "expected":
            return means
        if self.combine == "votes":
            # All means of a tree together stay below one vote.
            return votes + means / (len(means) + 1)
        return np.log(np.maximum(means, _LEAST_PROBABILITY))

    def _mean_labels(self, opinions: Sequence[Posteriors], heads: NDArray[np.int64]) -> NDArray[np.float64]:
        """The mean posterior of every label of the chosen arcs. *Shape:* ``(batch_size, n_positions, n_labels)``.

        Arcs of ROOT are labelled by the models that have a label for them, if any has.
        """
        total = np.zeros((*heads.shape, len(self.deprels)))
        asked = np.zeros((*heads.shape, 1))
        know_root = any(parser.root_label is not None for parser in self.parsers)
        for parser, opinion, numbers in zip(self.parsers, opinions, self._label_numbers, strict=True):
            chosen = torch.from_numpy(heads).to(opinion.heads.device)
            counts = ((heads != 0) | (parser.root_label is not None) | (not know_root))[:, :, np.newaxis]
            total[:, :, numbers] += counts * _numpy(opinion.labels(chosen, parser.root_label))
            asked += counts
        return total / asked


def _opinion(parser: Parser, sentences: Sequence[Sentence], constraints: Constraints) -> Posteriors:
    batch = parser.featurizer.batch([parser.featurizer.encode(sentence) for sentence in sentences])
    return find_posteriors(parser.network, parser.network.encode(batch), parser.order, constraints)


def _votes(opinion: Posteriors) -> NDArray[np.float64]:
    """One for each arc of the parser's own trees. *Shape:* ``(batch_size, n_positions, n_positions)``."""
    votes = torch.zeros_like(opinion.heads)
    return _numpy(votes.scatter_(2, opinion.trees.heads[:, 0].unsqueeze(2), 1.0))


def _numpy(tensor: Tensor) -> NDArray[np.float64]:
    return tensor.cpu().numpy().astype(np.float64)


def _predicted_tags(encoding: Encoding) -> list[list[int]]:
    """The numbers of the tags of all positions, sentence by sentence; none from a network that predicts no tags."""
    tags: list[list[int]] = [] if encoding.tags is None else encoding.positions.pad(encoding.tags).tolist()
    return tags


def _tree(
    means: NDArray[np.float64], heads: NDArray[np.int64], labels: NDArray[np.float64], tags: Sequence[int], n: int
) -> ParseTree:
    """One sentence's tree as plain values."""
    words = np.arange(1, n + 1)
    best = labels[words].argmax(axis=1)
    head_probs, label_probs = means[words, heads[words]], labels[words, best]
    log_prob = np.log(np.maximum([head_probs, label_probs], _LEAST_PROBABILITY)).sum()
    return ParseTree(
        heads=heads[words].tolist(),
        labels=best.tolist(),
        head_probs=head_probs.tolist(),
        label_probs=label_probs.tolist(),
        log_prob=float(log_prob),
        tags=tags[1 : n + 1],
    )
