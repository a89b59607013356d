"""The scores of the CoNLL 2018 shared task: a system's sentences against gold sentences of the same text.

Each score has a precision, a recall and their F1; scores of words also have an accuracy on aligned words. With gold
tokens both sides have the same number of words, so UAS and LAS are plain accuracies.

========  ====================================================================================================
tokens    tokens on the same characters; likewise sentences
words     aligned words (see `alignment`), the basis of all that follow
upos      aligned words with the same UPOS; likewise xpos
ufeats    aligned words with the same universal features
alltags   aligned words with the same UPOS, XPOS and universal features
lemmas    aligned words with the same lemma; a gold lemma `_` accepts any
uas       aligned words whose heads are aligned with each other, or are ROOT on both sides
las       the same, and the labels agree without their subtypes
clas      las over words with a content relation: function words and punctuation do not count
mlas      the same, and UPOS and universal features agree, those of the function words that depend on the word too
blex      clas, and the lemmas agree
========  ====================================================================================================

Beyond the official scores, `las_subtypes` compares whole labels, and `no_punct_uas` and `no_punct_las` leave out what
is punctuation in gold, which is how results on the Penn treebanks are reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pointree.evaluation.pairing import paired_passages
from pointree.evaluation.placed_text import PlacedText
from pointree.evaluation.score import Score
from pointree.evaluation.tally import Tally
from pointree.treebank.sentence import Sentence

__all__ = ["Evaluation", "score_sentences"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All scores of a system against gold.

    Attributes:
        scores: By their names, see `pointree.evaluation.scores`.
        by_deprel: The LAS of each universal label, the most frequent in gold first.
        calibration: The expected calibration error of head, deprel and predicted columns, if it was asked for.
    """

    scores: dict[str, Score]
    by_deprel: dict[str, Score]
    calibration: dict[str, float] = field(default_factory=dict)

    @property
    def words(self) -> int:
        """The number of gold words."""
        return self.scores["words"].gold

    @property
    def sentences(self) -> int:
        """The number of gold sentences."""
        return self.scores["sentences"].gold

    @property
    def uas(self) -> float:
        """Unlabelled attachment score."""
        return self.scores["uas"].f1

    @property
    def las(self) -> float:
        """Labelled attachment score, subtypes ignored: the official one."""
        return self.scores["las"].f1

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON.

        Each score is an F1 in percent; `scores` has all of them once more with their counts, precision and recall.
        """
        f1 = {name: score.f1 for name, score in self.scores.items()}
        return {
            **{name: f1[name] for name in ("uas", "las", "clas", "las_subtypes", "mlas", "blex")},
            "words": self.words,
            "sentences": self.sentences,
            "no_punct": {"uas": f1["no_punct_uas"], "las": f1["no_punct_las"]},
            "segmentation": {name: f1[name] for name in ("tokens", "sentences", "words")},
            "tagging": {name: f1[name] for name in ("upos", "xpos", "ufeats", "alltags", "lemmas")},
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "by_deprel": {label: score.to_dict() for label, score in self.by_deprel.items()},
            **({"calibration": self.calibration} if self.calibration else {}),
        }


def score_sentences(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    *,
    names: tuple[str, str] = ("gold", "system"),
) -> Evaluation:
    """Score system sentences against gold sentences of the same text.

    The two may differ in sentences, tokens and words, but not in their characters other than white space: an
    `InputError` says where they do, calling the sides by their `names`. Both are read once, passage by
    passage.
    """
    tally = Tally()
    for gold_passage, system_passage in paired_passages(gold, system, names):
        tally.add(PlacedText.of(gold_passage), PlacedText.of(system_passage))
    ranked = sorted(tally.by_deprel.items(), key=lambda item: (-item[1].gold, -item[1].system, item[0]))
    return Evaluation(tally.scores, dict(ranked))
