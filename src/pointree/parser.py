"""The parser as its users see it: load a model, parse sentences, stream files, save."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pointree.config import COMBINED_ORDER, READ_TAGS, Config
from pointree.engines.engine import Engine
from pointree.engines.loading import load_engine
from pointree.errors import ModelError, UsageError
from pointree.files import atomic_write
from pointree.models.calibration import Calibration
from pointree.models.folder import write_manifest
from pointree.models.layout import CALIBRATION, TEXT_MODEL
from pointree.models.registry import resolve_model
from pointree.options import ParseOptions
from pointree.running.batching import plan_batches, windows
from pointree.search import ParseTree, search_steps
from pointree.search.columns import best_columns
from pointree.search.filling import Filling
from pointree.search.posteriors import MeanPosteriors, find_posteriors
from pointree.search.resumable import Resumable, run_to_end
from pointree.text.char_segmenter import CharSegmenter
from pointree.text.reading import Segmenter, segment_text
from pointree.text.udpipe import TextModel
from pointree.transitions import Constraints
from pointree.treebank.sentence import Sentence
from pointree.treebank.sentence_list import SentenceList
from pointree.vocabulary import COLUMNS, UNK, Vocabularies

if TYPE_CHECKING:
    from pointree.search.trace import Trace

__all__ = ["Parser", "SentenceParser", "load", "parse_windows"]

logger = logging.getLogger("pointree.messages")

_WINDOW_SENTENCES = 2_048

Words = Sentence | Sequence[str]
"""A sentence to parse, or its words."""


def load(
    model: str | os.PathLike[str], *, precision: str | None = None, device: str = "cpu", engine: str = "auto"
) -> Parser:
    """Load a trained model, given by its name, its folder or its Hugging Face Hub id.

    With ``precision`` ``fp32``, trees do not depend on the machine. ``int8`` multiplies 8-bit numbers, on the engine
    onnx, and ``bf16`` 16-bit ones, on torch. None is what the model names for the engine onnx, and fp32 otherwise;
    ``auto`` is the same, but on torch it is bf16 where that is faster. ``engine`` is ``onnx`` (onnxruntime, on the
    CPU), ``torch``, or ``auto``: onnx where the model has graphs for it and the device is the CPU.
    """
    if not isinstance(model, str | os.PathLike):
        raise UsageError(f"expected the name or folder of one model, found {model!r}; load_ensemble takes several")
    return Parser.load(model, precision=precision, device=device, engine=engine)


class SentenceParser(Protocol):
    """What parses sentences: one model (`Parser`) or several (`Ensemble`).

    Options are a `ParseOptions`, its fields as keywords, or both; the keywords win.
    """

    name: str

    def parse(self, sentences: Iterable[Words], options: ParseOptions | None = None, **fields: Any) -> list[Sentence]:
        """Parse sentences and return them with heads and labels."""

    def stream(
        self, sentences: Iterable[Words], options: ParseOptions | None = None, *, copy: bool = True, **fields: Any
    ) -> Iterator[Sentence]:
        """Parse sentences one window after another, in order and with bounded memory."""

    def parse_text(self, text: str, options: ParseOptions | None = None, **fields: Any) -> list[Sentence]:
        """Split raw text into sentences and words, tag and parse them."""

    def trace(self, sentence: Words, options: ParseOptions | None = None, **fields: Any) -> Trace:
        """Parse one sentence and tell how."""

    def check(self, options: ParseOptions) -> None:
        """Refuse options that this parser cannot follow with a `UsageError`."""

    def require_text_model(self) -> TextModel:
        """The tokeniser and tagger of UDPipe; without one, a `ModelError`."""

    def require_segmenter(self) -> Segmenter:
        """What cuts raw text into sentences; without one, a `ModelError`."""


class Parser:
    """A trained model that turns sentences into trees. Several threads may use one parser at the same time."""

    def __init__(
        self,
        config: Config,
        vocabularies: Vocabularies,
        engine: Engine,
        text_model: TextModel | None = None,
        name: str = "the model",
    ) -> None:
        self.name = name
        self.text_model = text_model
        self.config = config
        self.vocabularies = vocabularies
        self.engine = engine
        self.root_label = _root_label(vocabularies.deprels.symbols)
        self.calibration = Calibration()
        self._warned_of_tags = self._told_of_order = False

    @classmethod
    def load(
        cls, model: str | os.PathLike[str], *, precision: str | None = None, device: str = "cpu", engine: str = "auto"
    ) -> Parser:
        """Load a trained model; see `pointree.load`."""
        folder = resolve_model(model)
        config, vocabularies, loaded = load_engine(folder, engine=engine, precision=precision, device=device)
        text_model = TextModel.load(folder / TEXT_MODEL) if (folder / TEXT_MODEL).exists() else None
        parser = cls(config, vocabularies, loaded, text_model, str(model))
        parser.calibration = Calibration.load(folder / CALIBRATION)
        return parser

    def save(self, path: str | os.PathLike[str], card: str = "", *, bundle_pretrained: bool = False) -> None:
        """Write the model to a folder, with its segmenter and tagger if it has them.

        With ``bundle_pretrained``, the folder gets a copy of its pretrained model too.
        """
        folder = Path(path)
        self.engine.save(folder, card, bundle_pretrained=bundle_pretrained)
        if self.text_model is not None:
            content = self.text_model.content()
            with atomic_write(folder / TEXT_MODEL, "b") as stream:
                stream.write(content)
        if self.calibration.scales:
            self.calibration.save(folder / CALIBRATION)
        write_manifest(folder)

    @property
    def precision(self) -> str:
        """The arithmetic of the network: fp32, bf16 or int8."""
        return self.engine.precision

    @property
    def network(self) -> Any:
        """The network of torch, if that is the engine."""
        network = getattr(self.engine, "network", None)
        if network is None:
            raise UsageError(f"{self.name} runs on the engine {self.engine.name}, which has no network of torch")
        return network

    @property
    def featurizer(self) -> Any:
        """What turns sentences into the numbers that the network reads."""
        return self.engine.featurizer

    def parse(self, sentences: Iterable[Words], options: ParseOptions | None = None, **fields: Any) -> SentenceList:
        """Parse sentences, given as `Sentence` objects or as lists of words, and return them with heads and labels.

        Options are a `ParseOptions` or its fields as keywords (``beam=4``). The input is not changed. With ``n_best``
        above one, every sentence comes back as several, best first (as many as ``n_best`` where that many trees
        exist), each with the comments ``# tree_rank`` and ``# tree_log_prob``. Words without tags, features and
        lemmas get those that the model predicts.
        """
        return SentenceList(self.stream(sentences, options, **fields))

    def parse_text(self, text: str, options: ParseOptions | None = None, **fields: Any) -> SentenceList:
        """Split raw text into sentences and words, tag and parse them; options as in `parse`."""
        chosen = ParseOptions.of(options, fields)
        sentences = segment_text(text, self.require_segmenter(), sentences=chosen.sentences)
        return SentenceList(self.stream(sentences, chosen, copy=False))

    @property
    def segmenter(self) -> CharSegmenter | None:
        """What cuts raw text, of a model that has a segmenter of its own."""
        return self.engine.segmenter

    @property
    def reads_text(self) -> bool:
        """Whether the model can cut raw text into sentences and words."""
        return self.segmenter is not None or self.text_model is not None

    def require_segmenter(self) -> Segmenter:
        """What cuts raw text into sentences: the model's own segmenter, or the tokeniser of its text model."""
        if self.segmenter is not None:
            return self.segmenter
        if self.text_model is None:
            problem = "this model cannot read raw text, it has no segmenter; give it words (--from words)"
            raise ModelError(f"{self.name}: {problem}")
        return self.text_model

    def require_text_model(self) -> TextModel:
        """The tagger of the model, and the tokeniser of an old one; a model without is a `ModelError`."""
        if self.text_model is None:
            problem = "this model cannot tag words, it was trained without a tagger; give it words with tags"
            raise ModelError(f"{self.name}: {problem}")
        return self.text_model

    def stream(
        self, sentences: Iterable[Words], options: ParseOptions | None = None, *, copy: bool = True, **fields: Any
    ) -> Iterator[Sentence]:
        """Parse sentences one window after another, in order and with bounded memory; options as in `parse`.

        Without ``copy``, given `Sentence` objects are filled in place, which saves time where nobody else needs them.
        """
        chosen = ParseOptions.of(options, fields)
        self.check(chosen)
        tagged = self.tagged(sentences, chosen.retag, copy=copy)
        return parse_windows(tagged, lambda window: self.trees(window, chosen), chosen, self.filling)

    @property
    def filling(self) -> Filling:
        """What the numbers of trees mean."""
        return Filling(self.vocabularies.deprels.symbols, self.vocabularies.columns, self.calibration)

    def check(self, options: ParseOptions) -> None:
        """Refuse options that this model cannot follow with a `UsageError`."""
        orders = self.config.decoder.orders
        if len(orders) == 1 and options.order not in (None, *orders):
            raise UsageError(f"order {options.order}: {self.name} has one decoder, which is {orders[0]}")
        if options.order not in (None, COMBINED_ORDER, *orders):
            known = ", ".join((COMBINED_ORDER, *orders))
            raise UsageError(f"order {options.order}: expected one of {known}, which {self.name} has")
        if options.precision not in (None, "auto", self.precision):
            problem = f"{self.name} was loaded with {self.precision}; load it with precision={options.precision!r}"
            raise UsageError(f"precision {options.precision}: {problem}")
        if options.retag and not self.vocabularies.columns:
            self.require_text_model()

    def tagged(
        self,
        sentences: Iterable[Words],
        retag: bool = False,
        *,
        copy: bool = True,
        left: Collection[str] | None = None,
        readers: Sequence[Parser] = (),
    ) -> Iterator[Sentence]:
        """Sentences with the tags of the model's tagger, if it has one, where they have none, or with ``retag`` all.

        Words without the tag that the network reads get those of the tagger too, and keep what else they have; where
        other parsers will read the sentences, ``readers`` names them all.

        Columns that are ``left`` for networks to fill in are not touched, or emptied with ``retag``; by default these
        are the columns that this model's network predicts.
        """
        predicted = list(self.vocabularies.columns.classes) if left is None else left
        others = [column for column in COLUMNS if column not in predicted]
        for given in sentences:
            sentence = _as_sentence(given, copy=copy)
            lacking = any(reader._lacks_tags(sentence) for reader in readers or (self,))
            untagged = self.text_model is not None and all(w.upos == "_" and w.xpos == "_" for w in sentence.words)
            if self.text_model is not None and others and (retag or untagged or lacking):
                self.text_model.fill(sentence, replace=retag or untagged, columns=others)
            elif lacking:
                self._warn_of_tags()
            if retag:
                for word in sentence.words:
                    for column in predicted:
                        setattr(word, column, "_")
            yield sentence

    def _lacks_tags(self, sentence: Sentence) -> bool:
        """Whether the network would read a tag that some word does not have; some treebanks teach it to read `_`."""
        column = self.config.embeddings.tag
        if column not in READ_TAGS or self.vocabularies.tags.lookup("_") != UNK:
            return False
        return any(getattr(word, column) == "_" for word in sentence.words)

    def _warn_of_tags(self) -> None:
        if not self._warned_of_tags:
            self._warned_of_tags = True
            column = self.config.embeddings.tag.upper()
            logger.warning(f"{self.name} reads {column}, but the input has words without it; expect worse trees")

    def orders(self, options: ParseOptions, *, combine: bool = True) -> Sequence[str]:
        """The orders that parse: the one that the options name, or all together where the model has several.

        All together parse greedily, and to one tree. For anything else the best of them stands in, which a notice
        says once.
        """
        known = self.config.decoder.orders
        if options.order not in (None, COMBINED_ORDER):
            return (options.order,)
        if len(known) == 1 or (combine and options.width == 1):
            return known
        best = self.engine.best_order
        if not self._told_of_order:
            self._told_of_order = True
            wanted = "a trace" if not combine else f"a beam of {options.width}"
            logger.info(f"{self.name}: {wanted} uses its best order alone, {best}; only greedy search combines orders")
        return (best,)

    def trees(self, sentences: Sequence[Sentence], options: ParseOptions | None = None) -> list[list[ParseTree]]:
        """The best trees of each sentence as heads and label numbers, without building new sentences."""
        return run_to_end(self.tree_steps(sentences, options or ParseOptions()))

    def tree_steps(self, sentences: Sequence[Sentence], options: ParseOptions) -> Resumable[list[list[ParseTree]]]:
        """The same as `trees`, with a pause after every decoder step."""
        numbered = [self.featurizer.numbers_of(sentence) for sentence in sentences]
        results: list[list[ParseTree]] = [[] for _ in sentences]
        lengths, orders = [len(sentence) for sentence in numbered], self.orders(options)
        most = self.engine.batch_sentences
        for numbers in plan_batches(lengths, batch_words=options.batch_words, beam=options.width, most=most):
            encoded = yield from self.engine.encode_steps([numbered[number] for number in numbers], orders)
            found = yield from search_steps(encoded, options, self.root_label)
            columns = best_columns(encoded, probabilities=options.needs_probabilities)
            del encoded  # else it takes its memory until the next batch is encoded
            for number, trees, predicted in zip(numbers, found, columns, strict=True):
                results[number] = [replace(tree, columns=predicted) for tree in trees]
        return results

    def require_posteriors(self) -> None:
        """Refuse a top-down model with a `UsageError`: it has no distribution over the heads of a word."""
        if "top-down" in self.config.decoder.orders:
            problem = "which gives no probability of every arc, so it neither joins others nor teaches"
            raise UsageError(f"{self.name}: expected a bottom-up model, found the order top-down, {problem}")

    def posteriors(self, sentences: Sequence[Sentence], options: ParseOptions) -> MeanPosteriors:
        """The probabilities of all arcs of sentences that are sorted by falling length."""
        self.require_posteriors()
        numbered = [self.featurizer.numbers_of(sentence) for sentence in sentences]
        encoded = run_to_end(self.engine.encode_steps(numbered, self.orders(options)))
        return find_posteriors(encoded, Constraints.of(options))

    def parse_steps(self, sentences: Iterable[Sentence], options: ParseOptions) -> Resumable[list[list[Sentence]]]:
        """Parse sentences in place, with pauses, and return the trees of each, best first.

        For whoever must do other things meanwhile: the work stops for good when the generator is closed.
        """
        self.check(options)
        tagged = []
        for sentence in self.tagged(sentences, options.retag, copy=False):
            tagged.append(sentence)
            yield
        found = yield from self.tree_steps(tagged, options)
        filling = self.filling
        return [filling.sentences(sentence, trees, options) for sentence, trees in zip(tagged, found, strict=True)]

    def tag_steps(self, sentences: Iterable[Sentence]) -> Resumable[None]:
        """Replace the tags, features and lemmas of sentences in place, without parsing them; with pauses."""
        self.check(ParseOptions(retag=True))
        tagged = []
        for sentence in self.tagged(sentences, retag=True, copy=False):
            tagged.append(sentence)
            yield
        if not self.vocabularies.columns:
            return
        numbered = [self.featurizer.numbers_of(sentence) for sentence in tagged]
        for numbers in plan_batches([len(sentence) for sentence in numbered], batch_words=ParseOptions().batch_words):
            encoded = yield from self.engine.encode_steps([numbered[number] for number in numbers])
            for number, predicted in zip(numbers, best_columns(encoded), strict=True):
                self.filling.fill_columns(tagged[number], predicted)

    def trace(
        self, sentence: Words, options: ParseOptions | None = None, *, top_labels: int = 5, **fields: Any
    ) -> Trace:
        """Parse one sentence and tell how: for every step the pointer's distribution, illegal heads and why, the
        states that were fused, the gate, the labels and the beam. The tree is that of `parse` with the same options.
        """
        return run_to_end(self.trace_steps(sentence, ParseOptions.of(options, fields), top_labels=top_labels))

    def trace_steps(self, sentence: Words, options: ParseOptions, *, top_labels: int = 5) -> Resumable[Trace]:
        """The same as `trace`, with pauses."""
        from pointree.search.trace import Trace
        from pointree.search.tracing import trace_steps

        self.check(options)
        [tagged] = self.tagged([sentence], options.retag)
        forms, deprels = ["ROOT", *tagged.forms], self.vocabularies.deprels.symbols
        [order] = self.orders(options, combine=False)
        encoded = yield from self.engine.encode_steps([self.featurizer.numbers_of(tagged)], [order])
        tree, steps = yield from trace_steps(
            encoded,
            options,
            self.root_label,
            forms=forms,
            deprels=deprels,
            top_labels=top_labels,
        )
        [predicted] = best_columns(encoded)
        self.filling.fill_tree(tagged, replace(tree, columns=predicted), ParseOptions())
        return Trace(
            model=self.name,
            order=order,
            fusion=self.config.decoder.fusion,
            gate=self.config.decoder.gate,
            beam=options.width,
            single_root=options.single_root,
            projective=options.projective,
            sent_id=tagged.sent_id,
            text=tagged.text,
            forms=forms,
            upos=["_", *(word.upos for word in tagged.words)],
            steps=steps,
            heads=tree.heads,
            deprels=[deprels[label] for label in tree.labels],
            log_prob=tree.log_prob,
        )


def parse_windows(
    sentences: Iterable[Sentence],
    find_trees: Callable[[Sequence[Sentence]], list[list[ParseTree]]],
    options: ParseOptions,
    filling: Filling,
) -> Iterator[Sentence]:
    """Fill sentences with the trees found for them, window by window; several trees become several sentences.

    A sentence that was handed on is forgotten: what has been parsed takes no memory beside the next window.
    """
    for window in windows(sentences, _WINDOW_SENTENCES):
        found = find_trees(window)
        window.reverse()
        found.reverse()
        while window:
            yield from filling.sentences(window.pop(), found.pop(), options)


def _as_sentence(sentence: Words, *, copy: bool) -> Sentence:
    if isinstance(sentence, str):
        raise UsageError(
            f"expected a Sentence or a list of words, found the string {sentence[:40]!r}; parse_text reads raw text"
        )
    if not isinstance(sentence, Sentence):
        if not isinstance(sentence, Iterable):
            raise UsageError(f"expected a Sentence or a list of words, found {sentence!r:.40}")
        sentence = Sentence.from_words(sentence)
    elif copy:
        sentence = sentence.copy()
    if not len(sentence):
        raise UsageError("a sentence must have at least one word")
    return sentence


def _root_label(deprels: Sequence[str]) -> int | None:
    """The label that stands for "depends on ROOT" in the treebanks that have one, among others."""
    if len(deprels) == 1:
        return None
    for number, deprel in enumerate(deprels):
        if deprel.lower() == "root":
            return number
    return None
