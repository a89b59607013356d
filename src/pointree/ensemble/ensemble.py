"""Several models as one parser: their scores of every arc are combined, and the best legal tree is built of them.

The models may differ in everything: order, sizes, vocabularies, labels. Each parses a sentence greedily on its own and
gives the probability of every arc, its posteriors (see `pointree.search.posteriors`). The tree is the one with the
greatest product of mean posteriors: a maximum spanning tree or, if asked, a maximum projective tree, with one root
word unless told otherwise.

Each arc then gets the label with the greatest mean posterior; a label that a model does not know has posterior zero
there. Arcs of ROOT are labelled by those models alone that have a label for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pointree.config import READ_TAGS
from pointree.errors import UsageError
from pointree.options import ParseOptions
from pointree.parser import Parser, SentenceParser, Words, load, parse_windows
from pointree.running.batching import plan_batches
from pointree.search import ParseTree
from pointree.search.columns import best_columns
from pointree.search.combination import best_heads, labelled_trees
from pointree.search.filling import Filling
from pointree.search.posteriors import Floats, MeanPosteriors
from pointree.text.reading import Segmenter, segment_text
from pointree.text.udpipe import TextModel
from pointree.transitions import Constraints
from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence_list import SentenceList
from pointree.vocabulary import ColumnClasses

if TYPE_CHECKING:
    from pointree.search.trace import Trace

__all__ = ["Ensemble", "load_ensemble", "load_models"]


def load_ensemble(
    models: Sequence[str | os.PathLike[str]], *, precision: str | None = None, device: str = "cpu", engine: str = "auto"
) -> Ensemble:
    """Load several trained models as one parser; options as in `pointree.load`."""
    if isinstance(models, str):
        raise UsageError(f"load_ensemble: expected a list of models, found {models!r}")
    return Ensemble([load(model, precision=precision, device=device, engine=engine) for model in models])


def load_models(
    models: Sequence[str], *, precision: str | None = None, device: str = "cpu", engine: str = "auto"
) -> SentenceParser:
    """Load one model, or several as an ensemble."""
    if len(models) == 1:
        return load(models[0], precision=precision, device=device, engine=engine)
    return load_ensemble(models, precision=precision, device=device, engine=engine)


class Ensemble:
    """Models that parse together, greedily and to one tree.

    Where there are no tokens or tags, the first model that has a tokeniser and tagger is asked for them; where none
    has, words get the columns of the first network that predicts any.
    """

    def __init__(self, parsers: Sequence[Parser]) -> None:
        if not parsers:
            raise UsageError("ensemble: expected at least one model, found none")
        for parser in parsers:
            parser.require_posteriors()
        self.parsers = tuple(parsers)
        self.name = " + ".join(parser.name for parser in parsers)
        self._tagging_parser = next((parser for parser in parsers if parser.text_model is not None), parsers[0])
        self._predicting = next((parser for parser in parsers if parser.vocabularies.columns), None)
        self.columns = ColumnClasses() if self._predicting is None else self._predicting.vocabularies.columns
        symbols = [parser.vocabularies.deprels.symbols for parser in parsers]
        self.deprels: list[str] = list(dict.fromkeys(chain.from_iterable(symbols)))
        numbers = {deprel: number for number, deprel in enumerate(self.deprels)}
        self._label_numbers = [np.array([numbers[deprel] for deprel in known], dtype=np.int64) for known in symbols]

    def parse(self, sentences: Iterable[Words], options: ParseOptions | None = None, **fields: Any) -> SentenceList:
        """Parse sentences, given as `Sentence` objects or as lists of words; options as in `Parser.parse`."""
        return SentenceList(self.stream(sentences, options, **fields))

    def parse_text(self, text: str, options: ParseOptions | None = None, **fields: Any) -> SentenceList:
        """Split raw text into sentences and words, tag and parse them; options as in `Parser.parse`."""
        chosen = ParseOptions.of(options, fields)
        sentences = segment_text(text, self.require_segmenter(), sentences=chosen.sentences)
        return SentenceList(self.stream(sentences, chosen, copy=False))

    def require_segmenter(self) -> Segmenter:
        """What cuts raw text into sentences, of the first model that can; if none can, that is a `ModelError`."""
        return next((parser for parser in self.parsers if parser.reads_text), self.parsers[0]).require_segmenter()

    def require_text_model(self) -> TextModel:
        """The tokeniser and tagger of the first model that has one; if none has, that is a `ModelError`."""
        return self._tagging_parser.require_text_model()

    def check(self, options: ParseOptions) -> None:
        """Refuse what several models cannot do together with a `UsageError`."""
        for name in ("beam", "n_best"):
            if getattr(options, name) > 1:
                problem = f"{len(self.parsers)} models together parse greedily, to one tree"
                raise UsageError(f"{name} {getattr(options, name)}: expected 1, since {problem}")
        for parser in self.parsers:
            parser.check(options)

    def stream(
        self, sentences: Iterable[Words], options: ParseOptions | None = None, *, copy: bool = True, **fields: Any
    ) -> Iterator[Sentence]:
        """Parse sentences one window after another; options as in `Parser.parse`, probabilities being means."""
        chosen = ParseOptions.of(options, fields)
        self.check(chosen)
        # Columns are left for the networks to fill in only where none of them reads tags.
        read = any(parser.config.embeddings.tag in READ_TAGS for parser in self.parsers)
        filling = Filling(self.deprels, self.columns)
        tagged = self._tagging_parser.tagged(
            sentences, chosen.retag, copy=copy, left=() if read else list(self.columns.classes), readers=self.parsers
        )
        return parse_windows(tagged, lambda window: self.trees(window, chosen), chosen, filling)

    def trace(self, sentence: Words, options: ParseOptions | None = None, **fields: Any) -> Trace:
        """Refused: a trace tells of the steps of one model."""
        raise UsageError(f"trace: expected one model, found {len(self.parsers)} that parse together")

    def trees(self, sentences: Sequence[Sentence], options: ParseOptions) -> list[list[ParseTree]]:
        """The tree of each sentence, its labels being numbers of `deprels`."""
        results: dict[int, ParseTree] = {}
        lengths = [len(sentence) for sentence in sentences]
        for numbers in plan_batches(lengths, batch_words=options.batch_words):
            found = self._parse_batch([sentences[number] for number in numbers], options)
            results.update(zip(numbers, found, strict=True))
        return [[results[number]] for number in range(len(sentences))]

    def _parse_batch(self, sentences: Sequence[Sentence], options: ParseOptions) -> list[ParseTree]:
        """Parse sentences that are sorted by falling length."""
        lengths = [len(sentence) for sentence in sentences]
        posteriors = [parser.posteriors(sentences, options) for parser in self.parsers]
        means: Floats = np.mean([each.heads() for each in posteriors], axis=0)
        heads = best_heads(means, lengths, Constraints.of(options))
        trees = labelled_trees(means, heads, self._mean_labels(posteriors, heads), lengths)
        if self._predicting is None:
            return trees
        columns = best_columns(posteriors[self.parsers.index(self._predicting)].encoded, probabilities=True)
        return [replace(tree, columns=predicted) for tree, predicted in zip(trees, columns, strict=True)]

    def _mean_labels(self, posteriors: Sequence[MeanPosteriors], heads: NDArray[np.int64]) -> Floats:
        """The mean posterior of every label of the chosen arcs. *Shape:* ``(batch_size, n_positions, n_labels)``.

        Arcs of ROOT are labelled by the models that have a label for them, if any has.
        """
        total = np.zeros((*heads.shape, len(self.deprels)))
        asked = np.zeros((*heads.shape, 1))
        know_root = any(parser.root_label is not None for parser in self.parsers)
        for parser, each, numbers in zip(self.parsers, posteriors, self._label_numbers, strict=True):
            counts = ((heads != 0) | (parser.root_label is not None) | (not know_root))[:, :, np.newaxis]
            total[:, :, numbers] += counts * each.labels(heads, parser.root_label)
            asked += counts
        return total / asked
