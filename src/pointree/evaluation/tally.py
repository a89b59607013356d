"""Counting, passage by passage, what the scores are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pointree.evaluation.alignment import align
from pointree.evaluation.layout import PlacedText, Span
from pointree.evaluation.relations import is_content, is_punctuation, universal_deprel, universal_feats
from pointree.evaluation.score import Score
from pointree.treebank.sentence import Token

__all__ = ["Tally"]

_OF_ALL_WORDS = ("words", "upos", "xpos", "ufeats", "lemmas", "uas", "las", "las_subtypes")
_OF_SOME = ("tokens", "sentences", "clas", "no_punct_uas", "no_punct_las")


class Tally:
    """Running counts of all scores.

    Attributes:
        scores: tokens, sentences, words, upos, xpos, ufeats, lemmas, uas, las, las_subtypes, clas,
            no_punct_uas and no_punct_las.
        by_deprel: For each universal label, its LAS.
    """

    def __init__(self) -> None:
        self.scores = {name: Score() for name in (*_OF_ALL_WORDS, *_OF_SOME)}
        self.by_deprel: defaultdict[str, Score] = defaultdict(Score)

    def add(self, gold: PlacedText, system: PlacedText) -> None:
        """Count a passage, laid out on both sides."""
        _add_spans(self.scores["tokens"], gold.tokens, system.tokens)
        _add_spans(self.scores["sentences"], gold.sentences, system.sentences)
        pairs = align(gold, system)
        gold_of_system = {system_word: gold_word for gold_word, system_word in pairs}
        is_punct = [is_punctuation(word.token) for word in gold.words]
        self._add_totals(gold, system, gold_of_system, is_punct)
        for gold_index, system_index in pairs:
            gold_word, system_word = gold.words[gold_index], system.words[system_index]
            if system_word.head < 0:
                same_head = gold_word.head < 0
            else:
                same_head = gold_of_system.get(system_word.head) == gold_word.head
            self._add_tags(gold_word.token, system_word.token)
            self._add_arc(gold_word.token, system_word.token, same_head, is_punct[gold_index])

    def _add_totals(
        self, gold: PlacedText, system: PlacedText, gold_of_system: Mapping[int, int], is_punct: Sequence[bool]
    ) -> None:
        """Count what each side has to offer, right or wrong."""
        for name in _OF_ALL_WORDS:
            self.scores[name].add(gold=len(gold.words), system=len(system.words))
        for word, punct in zip(gold.words, is_punct, strict=True):
            label = universal_deprel(word.token.deprel)
            self.by_deprel[label].gold += 1
            self.scores["clas"].gold += is_content(label)
            self.scores["no_punct_uas"].gold += not punct
            self.scores["no_punct_las"].gold += not punct
        for index, word in enumerate(system.words):
            label = universal_deprel(word.token.deprel)
            self.by_deprel[label].system += 1
            self.scores["clas"].system += is_content(label)
            # Gold says what punctuation is; a system word that stands for no gold word must speak for itself.
            counterpart = gold_of_system.get(index)
            punct = is_punctuation(word.token) if counterpart is None else is_punct[counterpart]
            self.scores["no_punct_uas"].system += not punct
            self.scores["no_punct_las"].system += not punct

    def _add_tags(self, gold: Token, system: Token) -> None:
        """Count an aligned pair, and which of its tags are right."""
        scores = self.scores
        scores["words"].correct += 1
        scores["upos"].correct += gold.upos == system.upos
        scores["xpos"].correct += gold.xpos == system.xpos
        scores["ufeats"].correct += universal_feats(gold.feats) == universal_feats(system.feats)
        scores["lemmas"].correct += gold.lemma in ("_", system.lemma)

    def _add_arc(self, gold: Token, system: Token, same_head: bool, is_punct: bool) -> None:
        """Count how much of the arc of an aligned pair is right."""
        if not same_head:
            return
        scores = self.scores
        scores["uas"].correct += 1
        scores["no_punct_uas"].correct += not is_punct
        label = universal_deprel(gold.deprel)
        if label != universal_deprel(system.deprel):
            return
        scores["las"].correct += 1
        scores["no_punct_las"].correct += not is_punct
        scores["clas"].correct += is_content(label)
        scores["las_subtypes"].correct += gold.deprel == system.deprel
        self.by_deprel[label].correct += 1


def _add_spans(score: Score, gold: Sequence[Span], system: Sequence[Span]) -> None:
    score.add(correct=len(set(gold) & set(system)), gold=len(gold), system=len(system))
