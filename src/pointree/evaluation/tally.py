"""Count, passage by passage, what the scores are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pointree.evaluation.alignment import align
from pointree.evaluation.placed_text import PlacedText, PlacedWord, Span
from pointree.evaluation.relations import (
    is_content,
    is_functional,
    is_punctuation,
    universal_deprel,
    universal_feats,
)
from pointree.evaluation.score import Score

__all__ = ["SCORES", "Tally"]

_OF_SPANS = ("tokens", "sentences")
_OF_ALL_WORDS = ("upos", "xpos", "ufeats", "alltags", "lemmas", "uas", "las", "las_subtypes")
_OF_CONTENT_WORDS = ("clas", "mlas", "blex")
_WITHOUT_PUNCTUATION = ("no_punct_uas", "no_punct_las")

SCORES = (*_OF_SPANS, "words", *_OF_ALL_WORDS, *_OF_CONTENT_WORDS, *_WITHOUT_PUNCTUATION)
"""The names of all scores, in the order in which they are shown; see `pointree.evaluation.scores`."""


class Tally:
    """Running counts of all scores.

    Attributes:
        scores: The scores by their names, which are `SCORES`.
        by_deprel: For each universal label, its LAS.
    """

    def __init__(self) -> None:
        aligned = {*_OF_ALL_WORDS, *_OF_CONTENT_WORDS, *_WITHOUT_PUNCTUATION}
        self.scores = {name: Score(aligned=0 if name in aligned else None) for name in SCORES}
        self.by_deprel: defaultdict[str, Score] = defaultdict(Score)

    def add(self, gold: PlacedText, system: PlacedText) -> None:
        """Count a passage, placed on both sides."""
        self._add_spans("tokens", gold.tokens, system.tokens)
        self._add_spans("sentences", gold.sentences, system.sentences)
        pairs = align(gold, system)
        passage = _Passage(gold, system, {system_word: gold_word for gold_word, system_word in pairs})
        self._add_totals(passage)
        for gold_index, system_index in pairs:
            for name in passage.right_scores(gold_index, system_index):
                self.scores[name].correct += 1
                if name == "las":
                    self.by_deprel[passage.gold_labels[gold_index]].correct += 1

    def _add_spans(self, name: str, gold: Sequence[Span], system: Sequence[Span]) -> None:
        self.scores[name].add(correct=len(set(gold) & set(system)), gold=len(gold), system=len(system))

    def _add_totals(self, passage: _Passage) -> None:
        """Count what each side has to offer, right or wrong."""
        aligned = passage.gold_of_system
        n_gold, n_system = len(passage.gold_labels), len(passage.system_labels)
        self.scores["words"].add(gold=n_gold, system=n_system)
        for name in _OF_ALL_WORDS:
            self.scores[name].add(gold=n_gold, system=n_system, aligned=len(aligned))
        n_gold = sum(map(is_content, passage.gold_labels))
        n_system = sum(map(is_content, passage.system_labels))
        n_aligned = sum(is_content(passage.gold_labels[index]) for index in aligned.values())
        for name in _OF_CONTENT_WORDS:
            self.scores[name].add(gold=n_gold, system=n_system, aligned=n_aligned)
        n_gold, n_system = passage.gold_punct.count(False), passage.system_punct.count(False)
        n_aligned = sum(not passage.gold_punct[index] for index in aligned.values())
        for name in _WITHOUT_PUNCTUATION:
            self.scores[name].add(gold=n_gold, system=n_system, aligned=n_aligned)
        for label in passage.gold_labels:
            self.by_deprel[label].gold += 1
        for label in passage.system_labels:
            self.by_deprel[label].system += 1


class _Passage:
    """What the scores compare in a passage: words by index, their labels, and what stands for what.

    `gold_of_system` has the gold word of each system word that is aligned.
    """

    def __init__(self, gold: PlacedText, system: PlacedText, gold_of_system: Mapping[int, int]) -> None:
        self.gold, self.system = gold.words, system.words
        self.gold_of_system = gold_of_system
        self.gold_labels = [universal_deprel(word.token.deprel) for word in gold.words]
        self.system_labels = [universal_deprel(word.token.deprel) for word in system.words]
        self.gold_punct = [is_punctuation(word.token) for word in gold.words]
        self.system_punct = [self._is_punctuation(index) for index in range(len(system.words))]
        self._gold_functional = _functional_dependents(gold.words, self.gold_labels)
        self._system_functional = _functional_dependents(system.words, self.system_labels)

    def _is_punctuation(self, index: int) -> bool:
        """Ask gold what is punctuation; a system word that is not aligned must speak for itself."""
        counterpart = self.gold_of_system.get(index)
        return is_punctuation(self.system[index].token) if counterpart is None else self.gold_punct[counterpart]

    def right_scores(self, gold_index: int, system_index: int) -> Iterator[str]:
        """Yield the names of the scores for which an aligned system word is right."""
        gold, system = self.gold[gold_index].token, self.system[system_index].token
        same_upos = gold.upos == system.upos
        same_xpos = gold.xpos == system.xpos
        same_feats = universal_feats(gold.feats) == universal_feats(system.feats)
        same_lemma = gold.lemma in ("_", system.lemma)
        yield "words"
        if same_upos:
            yield "upos"
        if same_xpos:
            yield "xpos"
        if same_feats:
            yield "ufeats"
        if same_upos and same_xpos and same_feats:
            yield "alltags"
        if same_lemma:
            yield "lemmas"
        if not self._same_head(gold_index, system_index):
            return
        is_punct = self.gold_punct[gold_index]
        yield "uas"
        if not is_punct:
            yield "no_punct_uas"
        label = self.gold_labels[gold_index]
        if label != self.system_labels[system_index]:
            return
        yield "las"
        if not is_punct:
            yield "no_punct_las"
        if gold.deprel == system.deprel:
            yield "las_subtypes"
        if not is_content(label):
            return
        yield "clas"
        if same_upos and same_feats and self._same_functional(gold_index, system_index):
            yield "mlas"
        if same_lemma:
            yield "blex"

    def _same_head(self, gold_index: int, system_index: int) -> bool:
        """Tell whether the heads are aligned with each other, or ROOT on both sides."""
        gold_head, system_head = self.gold[gold_index].head, self.system[system_index].head
        if system_head < 0:
            return gold_head < 0
        return self.gold_of_system.get(system_head) == gold_head

    def _same_functional(self, gold_index: int, system_index: int) -> bool:
        """Tell whether the function words of a content word are the same, with the same labels, UPOS and features."""
        gold, system = self._gold_functional[gold_index], self._system_functional[system_index]
        return [self.gold_of_system.get(index) for index in system] == gold and all(
            self.gold_labels[ours] == self.system_labels[theirs]
            and self.gold[ours].token.upos == self.system[theirs].token.upos
            and universal_feats(self.gold[ours].token.feats) == universal_feats(self.system[theirs].token.feats)
            for ours, theirs in zip(gold, system, strict=True)
        )


def _functional_dependents(words: Sequence[PlacedWord], labels: Sequence[str]) -> defaultdict[int, list[int]]:
    """Return, for each head, its dependents with a functional relation, in the order of the text."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for index, (word, label) in enumerate(zip(words, labels, strict=True)):
        if is_functional(label):
            found[word.head].append(index)
    return found
