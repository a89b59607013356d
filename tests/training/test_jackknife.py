"""Cross-predicted tags."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.errors import UsageError
from pointree.training import jackknife
from pointree.training.jackknife import jackknife_tags
from pointree.training.text_model import TaggerOptions
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence


@pytest.fixture(scope="module")
def treebank(ewt: Path) -> list[Sentence]:
    return list(read_conllu(ewt))


@pytest.mark.slow
def test_jackknifed_tags_are_predictions_in_place(treebank: list[Sentence]) -> None:
    stages: list[str] = []
    fast = TaggerOptions(iterations=1, lemmas=False)
    tagged = jackknife_tags(treebank, folds=2, tagger=fast, progress=lambda p: stages.append(p.stage))
    assert [sentence.comments for sentence in tagged] == [sentence.comments for sentence in treebank]
    assert [sentence.forms for sentence in tagged] == [sentence.forms for sentence in treebank]
    assert [sentence.heads for sentence in tagged] == [sentence.heads for sentence in treebank]
    assert [w.lemma for s in tagged for w in s.words] == [w.lemma for s in treebank for w in s.words]
    pairs = [
        (right.upos, found.upos)
        for sentence, prediction in zip(treebank, tagged, strict=True)
        for right, found in zip(sentence.words, prediction.words, strict=True)
    ]
    assert 0.6 < sum(right == found for right, found in pairs) / len(pairs) < 0.95
    assert {"fold 1/2, tagger", "fold 2/2, tagger"} <= set(stages)


def test_folds_keep_documents_whole() -> None:
    def sentence(*comments: str) -> Sentence:
        made = Sentence.from_words(["a"])
        made.comments = list(comments)
        return made

    marked = [sentence("# newdoc id = a"), sentence(), sentence("# newdoc"), sentence(), sentence("# newdoc")]
    assert jackknife._folds(marked, 2) == [0, 0, 1, 1, 0]
    assert jackknife._folds([sentence()] * 5, 2) == [0, 1, 0, 1, 0]


def test_the_number_of_folds_is_checked(treebank: list[Sentence]) -> None:
    for folds in (1, len(treebank) + 1):
        with pytest.raises(UsageError, match=rf"^folds: expected 2 to 60, .*, found {folds}$"):
            jackknife_tags(treebank, folds=folds)
