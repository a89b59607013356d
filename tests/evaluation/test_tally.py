from __future__ import annotations

from pointree.evaluation.placed_text import PlacedText
from pointree.evaluation.score import Score
from pointree.evaluation.tally import Tally
from pointree.treebank.sentence import Sentence


def tally(gold: Sentence, system: Sentence) -> Tally:
    counts = Tally()
    counts.add(PlacedText.of([gold]), PlacedText.of([system]))
    return counts


def sentence(**columns: list[str]) -> Sentence:
    values = {"deprel": ["nsubj", "root", "aux:pass", "punct"], "upos": ["NOUN", "VERB", "AUX", "PUNCT"]}
    return Sentence.from_words(["a", "b", "c", "."], head=[2, 0, 2, 2], **(values | columns))


def test_subtypes_count_for_las_subtypes_only() -> None:
    counts = tally(sentence(), sentence(deprel=["nsubj:pass", "root", "aux:pass", "punct"]))
    assert counts.scores["las"] == Score(correct=4, gold=4, system=4, aligned=4)
    assert counts.scores["las_subtypes"] == Score(correct=3, gold=4, system=4, aligned=4)


def test_clas_counts_content_words_of_each_side() -> None:
    counts = tally(sentence(), sentence(deprel=["case", "root", "aux", "punct"]))
    assert counts.scores["clas"] == Score(correct=1, gold=2, system=1, aligned=2)


def test_gold_says_what_punctuation_is() -> None:
    counts = tally(sentence(), sentence(upos=["PUNCT", "PUNCT", "PUNCT", "NOUN"]))
    assert counts.scores["no_punct_las"] == Score(correct=3, gold=3, system=3, aligned=3)


def test_a_system_word_without_counterpart_says_itself_whether_it_is_punctuation() -> None:
    gold = Sentence.from_words(["a.", "b"], head=[0, 1], upos=["NOUN", "NOUN"])
    system = Sentence.from_words(["a", ".", "b"], head=[0, 1, 1], upos=["NOUN", "PUNCT", "NOUN"])
    assert tally(gold, system).scores["no_punct_uas"] == Score(correct=0, gold=2, system=2, aligned=1)


def test_heads_are_compared_through_the_alignment() -> None:
    gold = Sentence.from_words(["ab", "c", "d"], head=[0, 3, 1])
    system = Sentence.from_words(["a", "b", "c", "d"], head=[0, 1, 4, 1])
    assert tally(gold, system).scores["uas"] == Score(correct=1, gold=3, system=4, aligned=2)


def test_root_is_not_the_same_head_as_a_word_without_counterpart() -> None:
    gold = Sentence.from_words(["ab", "c"], head=[2, 0])
    system = Sentence.from_words(["a", "b", "c"], head=[0, 1, 1])
    assert tally(gold, system).scores["uas"].correct == 0


def test_labels() -> None:
    counts = tally(sentence(), sentence(deprel=["obj", "root", "aux", "punct"]))
    assert counts.by_deprel == {
        "nsubj": Score(correct=0, gold=1, system=0),
        "obj": Score(correct=0, gold=0, system=1),
        "root": Score(correct=1, gold=1, system=1),
        "aux": Score(correct=1, gold=1, system=1),
        "punct": Score(correct=1, gold=1, system=1),
    }


def test_tags() -> None:
    gold = sentence(lemma=["_", "b", "c", "."], feats=["Case=Nom", "Typo=Yes", "_", "_"])
    system = sentence(lemma=["x", "x", "c", "."], feats=["Case=Acc", "_", "_", "_"], upos=["X", "VERB", "AUX", "PUNCT"])
    scores = tally(gold, system).scores
    assert [scores[name].correct for name in ("upos", "xpos", "ufeats", "alltags", "lemmas")] == [3, 4, 3, 3, 3]


def test_mlas_compares_function_words_too() -> None:
    """`b` has the auxiliary `c`; `a` has no function word and stays right."""
    for column, values in (
        ("upos", ["NOUN", "VERB", "VERB", "PUNCT"]),
        ("feats", ["_", "_", "Number=Sing", "_"]),
        ("deprel", ["nsubj", "root", "mark", "punct"]),
    ):
        scores = tally(sentence(), sentence(**{column: values})).scores
        assert (scores["clas"].correct, scores["mlas"].correct) == (2, 1), column
    scores = tally(sentence(), sentence(feats=["_", "_", "Typo=Yes", "_"])).scores
    assert scores["mlas"].correct == 2, "only universal features count"


def test_mlas_wants_the_same_function_words() -> None:
    words, deprel = ["a", "b", "c"], ["aux", "root", "obj"]
    gold = Sentence.from_words(words, head=[2, 0, 2], deprel=deprel)
    system = Sentence.from_words(words, head=[3, 0, 2], deprel=deprel)
    scores = tally(gold, system).scores
    assert (scores["clas"].correct, scores["mlas"].correct) == (2, 0), "one too few, and one too many"


def test_blex_compares_lemmas_unless_gold_has_none() -> None:
    gold, system = sentence(lemma=["_", "b", "c", "."]), sentence(lemma=["x", "x", "x", "x"])
    assert tally(gold, system).scores["blex"] == Score(correct=1, gold=2, system=2, aligned=2)
