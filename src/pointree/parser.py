"""The parser as its users see it: load a model, parse sentences, stream files, save."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from pointree.config import READ_TAGS, Config
from pointree.errors import ModelError, UsageError
from pointree.files import atomic_write
from pointree.models.folder import load_features, load_folder, save_folder, save_pretrained
from pointree.models.layout import TEXT_MODEL
from pointree.models.registry import resolve_model
from pointree.nn.features import Featurizer
from pointree.nn.model import PointerNetwork
from pointree.nn.pretrained_features import PretrainedFeatures
from pointree.running.batching import plan_batches, windows
from pointree.running.precision import resolve_precision
from pointree.search import ParseTree, SearchOptions, search
from pointree.search.trace import Trace
from pointree.search.tracing import trace_search
from pointree.text.reading import segment_text
from pointree.text.udpipe import TextModel
from pointree.transitions import ORDERS
from pointree.treebank.sentence import Sentence, set_misc
from pointree.vocabulary import UNK, Vocabularies

__all__ = ["Parser", "load", "resolve_device", "with_tree"]

DEFAULT_BATCH_WORDS = 2_500
_WINDOW_SENTENCES = 2_048


def load(model: str | os.PathLike[str], *, precision: str = "auto", device: str = "cpu") -> Parser:
    """Load a trained model, given by its name, its folder or its Hugging Face Hub id.

    ``precision`` is ``fp32``, ``bf16`` or ``auto``, which takes bfloat16 where the machine is faster with it.
    """
    return Parser.load(model, precision=precision, device=device)


class Parser:
    """A trained model that turns sentences into trees. Several threads may use one parser at the same time."""

    def __init__(
        self,
        config: Config,
        vocabularies: Vocabularies,
        network: PointerNetwork,
        text_model: TextModel | None = None,
        name: str = "the model",
        pretrained: PretrainedFeatures | None = None,
    ) -> None:
        self.name = name
        self.text_model = text_model
        self.config = config
        self.vocabularies = vocabularies
        self.network = network
        self.order = ORDERS[config.decoder.order]
        device = network.decoder.recurrent_weight.device
        tag, self.pretrained = config.embeddings.tag, pretrained
        self.featurizer = Featurizer(vocabularies, tag, self.order, network.slots, device, pretrained)
        self.root_label = _root_label(vocabularies.deprels.symbols)

    @classmethod
    def load(cls, model: str | os.PathLike[str], *, precision: str = "auto", device: str = "cpu") -> Parser:
        """Load a trained model; see `pointree.load`."""
        place = resolve_device(device)
        dtype = resolve_precision(precision, place)  # first of all: see `pointree.running.precision`
        folder = resolve_model(model)
        config, vocabularies, network = load_folder(folder)
        text_model = TextModel.load(folder / TEXT_MODEL) if (folder / TEXT_MODEL).exists() else None
        pretrained = load_features(folder, config, network, place, dtype)
        return cls(config, vocabularies, network.to(device=place, dtype=dtype), text_model, str(model), pretrained)

    def save(self, path: str | os.PathLike[str], card: str = "", *, bundle_pretrained: bool = False) -> None:
        """Write the model to a folder, with its tokeniser and tagger if it has them.

        With ``bundle_pretrained``, the folder gets a copy of its pretrained model too.
        """
        folder = Path(path)
        save_folder(folder, self.config, self.vocabularies, self.network.state_dict(), card)
        if self.pretrained is not None:
            save_pretrained(folder, self.config, self.pretrained.model, bundle=bundle_pretrained)
        if self.text_model is not None:
            content = self.text_model.content()
            with atomic_write(folder / TEXT_MODEL, "b") as stream:
                stream.write(content)

    def parse(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        *,
        beam_width: int = 1,
        n_best: int = 1,
        single_root: bool = True,
        projective: bool = False,
        probabilities: bool = False,
        retag: bool = False,
        batch_words: int = DEFAULT_BATCH_WORDS,
    ) -> list[Sentence]:
        """Parse sentences, given as `Sentence` objects or as lists of words, and return them with heads and labels.

        The input is not changed. With ``n_best`` above one, every sentence comes back as several, best first (as
        many as ``n_best`` where that many trees exist), each with the comments ``# tree_rank`` and ``# tree_log_prob``.
        With ``probabilities``, MISC has ``HeadProb`` and ``DeprelProb``. Sentences without tags get those of the
        model's tagger, if it has one; with ``retag``, all sentences do.
        """
        return list(
            self.stream(
                sentences,
                beam_width=beam_width,
                n_best=n_best,
                single_root=single_root,
                projective=projective,
                probabilities=probabilities,
                retag=retag,
                batch_words=batch_words,
            )
        )

    def parse_text(self, text: str, *, presegmented: bool = False, **options: Any) -> list[Sentence]:
        """Split raw text into sentences and words, tag and parse them; options as in `parse`."""
        sentences = segment_text(text, self.require_text_model(), presegmented=presegmented)
        return list(self.stream(sentences, **options))

    def require_text_model(self) -> TextModel:
        """The tokeniser and tagger of the model; one without is a `ModelError`."""
        if self.text_model is None:
            problem = f"this model cannot read raw text, it has no {TEXT_MODEL}; give it words (--from words)"
            raise ModelError(f"{self.name}: {problem}")
        return self.text_model

    def stream(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        *,
        beam_width: int = 1,
        n_best: int = 1,
        single_root: bool = True,
        projective: bool = False,
        probabilities: bool = False,
        retag: bool = False,
        batch_words: int = DEFAULT_BATCH_WORDS,
    ) -> Iterator[Sentence]:
        """Parse sentences one window after another, in order and with bounded memory; options as in `parse`."""
        options = SearchOptions(max(beam_width, n_best), n_best, single_root, projective)
        _check_options(beam_width, n_best, batch_words)
        tagged = self.tagged(sentences, retag, keep_upos=self.network.tagger is None)
        return self._stream(tagged, options, probabilities, batch_words)

    def tagged(
        self,
        sentences: Iterable[Sentence | Sequence[str]],
        retag: bool = False,
        *,
        keep_upos: bool = True,
        readers: Sequence[Parser] = (),
    ) -> Iterator[Sentence]:
        """Sentences with the tags of the model's tagger, if it has one, where they have none, or with ``retag`` all.

        Words without the tag that the network reads get those of the tagger too, and keep what else they have; where
        other parsers will read the sentences, ``readers`` names them all.

        Without ``keep_upos``, the tagger's UPOS are left out for the network to fill in.
        """
        if retag and keep_upos:
            self.require_text_model()
        return self._tagged(map(_as_sentence, sentences), retag, keep_upos, readers or (self,))

    def _tagged(
        self, sentences: Iterable[Sentence], retag: bool, keep_upos: bool, readers: Sequence[Parser]
    ) -> Iterator[Sentence]:
        for sentence in sentences:
            untagged = all(word.upos == "_" and word.xpos == "_" for word in sentence.words)
            lacking = retag or untagged or any(reader._lacks_tags(sentence) for reader in readers)
            if self.text_model is not None and lacking:
                [tagged] = self.text_model.tag([sentence])
                sentence = tagged if retag or untagged else _completed(sentence, tagged)
            if not keep_upos and (retag or untagged):
                sentence = _without_upos(sentence)
            yield sentence

    def _lacks_tags(self, sentence: Sentence) -> bool:
        """Whether the network would read a tag that some word does not have; some treebanks teach it to read `_`."""
        column = self.config.embeddings.tag
        if column not in READ_TAGS or self.vocabularies.tags.lookup("_") != UNK:
            return False
        return any(getattr(word, column) == "_" for word in sentence.words)

    def _stream(
        self,
        sentences: Iterable[Sentence],
        options: SearchOptions,
        probabilities: bool,
        batch_words: int,
    ) -> Iterator[Sentence]:
        deprels, tags = self.vocabularies.deprels.symbols, self.vocabularies.tags.symbols
        for window in windows(sentences, _WINDOW_SENTENCES):
            for sentence, trees in zip(window, self.trees(window, options, batch_words), strict=True):
                for rank, tree in enumerate(trees, 1):
                    parsed = with_tree(sentence, tree, deprels, probabilities, tags)
                    if options.n_best > 1:
                        parsed.set_meta("tree_rank", str(rank))
                        parsed.set_meta("tree_log_prob", f"{tree.log_prob:.4f}")
                        _set_apart(parsed, is_first=rank == 1, is_last=rank == len(trees))
                    yield parsed

    def trees(
        self,
        sentences: Sequence[Sentence],
        options: SearchOptions | None = None,
        batch_words: int = DEFAULT_BATCH_WORDS,
    ) -> list[list[ParseTree]]:
        """The best trees of each sentence as heads and label numbers, without building new sentences."""
        options = options or SearchOptions()
        encoded = [self.featurizer.encode(sentence) for sentence in sentences]
        results: list[list[ParseTree]] = [[] for _ in sentences]
        lengths = [len(sentence) for sentence in encoded]
        for numbers in plan_batches(lengths, batch_words=batch_words, beam_width=options.beam_width):
            batch = self.featurizer.batch([encoded[number] for number in numbers])
            with torch.inference_mode():
                encoding = self.network.encode(batch)
                found = search(self.network, encoding, self.order, options, self.root_label)
            for number, trees in zip(numbers, found, strict=True):
                results[number] = trees
        return results

    def trace(
        self,
        sentence: Sentence | Sequence[str],
        *,
        beam_width: int = 1,
        single_root: bool = True,
        projective: bool = False,
        retag: bool = False,
        top_labels: int = 5,
    ) -> Trace:
        """Parse one sentence and tell how: for every step the pointer's distribution, illegal heads and why, the
        states that were fused, the gate, the labels and the beam. The tree is that of `parse` with the same options.
        """
        _check_options(beam_width, 1, 1)
        [tagged] = self.tagged([sentence], retag, keep_upos=self.network.tagger is None)
        options = SearchOptions(beam_width, 1, single_root, projective)
        forms, deprels = ["ROOT", *tagged.forms], self.vocabularies.deprels.symbols
        with torch.inference_mode():
            encoding = self.network.encode(self.featurizer.batch([self.featurizer.encode(tagged)]))
            tree, steps = trace_search(
                self.network,
                encoding,
                self.order,
                options,
                self.root_label,
                forms=forms,
                deprels=deprels,
                top_labels=top_labels,
            )
        tagged = with_tree(tagged, tree, deprels, False, self.vocabularies.tags.symbols)
        return Trace(
            model=self.name,
            order=self.order.name,
            fusion=self.config.decoder.fusion,
            gate=self.config.decoder.gate,
            beam_width=beam_width,
            single_root=single_root,
            projective=projective,
            sent_id=tagged.sent_id,
            text=tagged.text,
            forms=forms,
            upos=["_", *(word.upos for word in tagged.words)],
            steps=steps,
            heads=tree.heads,
            deprels=[deprels[label] for label in tree.labels],
            log_prob=tree.log_prob,
        )


def with_tree(
    sentence: Sentence, tree: ParseTree, deprels: Sequence[str], probabilities: bool, tags: Sequence[str] = ()
) -> Sentence:
    """A copy of the sentence with the heads and labels of a tree and, in MISC, their probabilities.

    Words without UPOS get those that the network predicted, if it did.
    """
    parsed = sentence.copy()
    for word, head, label in zip(parsed.words, tree.heads, tree.labels, strict=True):
        word.head, word.deprel = head, deprels[label]
    for word, tag in zip(parsed.words, tree.tags, strict=False):
        if word.upos == "_":
            word.upos = tags[tag]
    if probabilities:
        for word, head_prob, label_prob in zip(parsed.words, tree.head_probs, tree.label_probs, strict=True):
            set_misc(word, "HeadProb", f"{head_prob:.4f}")
            set_misc(word, "DeprelProb", f"{label_prob:.4f}")
    return parsed


def _set_apart(tree: Sentence, *, is_first: bool, is_last: bool) -> None:
    """Keep what starts a file before the first tree of a sentence, and an end without blank line after the last."""
    if not is_first:
        tree.leader = ""
    if not is_last:
        tree.trailer += tree.newline * max(0, 2 - tree.trailer.count("\n"))


def _completed(sentence: Sentence, tagged: Sentence) -> Sentence:
    """The sentence as it was given, with what the tagger says in the columns that are empty."""
    for word, given in zip(tagged.words, sentence.words, strict=True):
        for column in ("lemma", "upos", "xpos", "feats"):
            if getattr(given, column) != "_":
                setattr(word, column, getattr(given, column))
    return tagged


def _without_upos(sentence: Sentence) -> Sentence:
    stripped = sentence.copy()
    for word in stripped.words:
        word.upos = "_"
    return stripped


def _as_sentence(sentence: Sentence | Sequence[str]) -> Sentence:
    if isinstance(sentence, str):
        raise UsageError(f"expected a Sentence or a list of words, found the string {sentence[:40]!r}")
    if not isinstance(sentence, Sentence):
        sentence = Sentence.from_words(sentence)
    if not len(sentence):
        raise UsageError("a sentence must have at least one word")
    return sentence


def _check_options(beam_width: int, n_best: int, batch_words: int) -> None:
    for name, value in (("beam_width", beam_width), ("n_best", n_best), ("batch_words", batch_words)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1, found {value}")


def resolve_device(name: str) -> torch.device:
    """The device of this name, if it is there."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"device {name} cannot be used: {str(error).splitlines()[0]}") from None
    return device


def _root_label(deprels: Sequence[str]) -> int | None:
    """The label that stands for "depends on ROOT" in the treebanks that have one, among others."""
    if len(deprels) == 1:
        return None
    for number, deprel in enumerate(deprels):
        if deprel.lower() == "root":
            return number
    return None
