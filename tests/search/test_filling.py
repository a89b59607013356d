"""Trees and predicted columns as they are written into sentences; `tests/test_parser.py` has n-best trees."""

from __future__ import annotations

from pointree.options import ParseOptions
from pointree.search.columns import PredictedColumns
from pointree.search.filling import fill_columns, filled_sentences
from pointree.search.result import ParseTree
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import ColumnClasses, LabelVocabulary

COLUMNS = ColumnClasses(
    {
        "upos": LabelVocabulary(["NOUN", "VERB"]),
        "feats": LabelVocabulary(["_", "Number=Plur"]),
        "lemma": LabelVocabulary(["lower", "lower r1:1:0:"]),
    },
    {"Mice": "mouse"},
)
PREDICTED = PredictedColumns({"upos": [0, 1], "feats": [1, 0], "lemma": [1, 0]})


def test_values_that_are_missing_are_filled_in() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"], upos=["_", "X"])
    fill_columns(sentence, PREDICTED, COLUMNS)
    assert [(word.upos, word.feats, word.lemma) for word in sentence.words] == [
        ("NOUN", "Number=Plur", "dog"),
        ("X", "_", "bark"),
    ]


def test_features_are_all_given_or_all_predicted() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"], feats=["_", "Mood=Ind"])
    fill_columns(sentence, PREDICTED, COLUMNS)
    assert [word.feats for word in sentence.words] == ["_", "Mood=Ind"]


def test_rare_lemmas_are_looked_up() -> None:
    sentence = Sentence.from_words(["Mice", "bark"])
    fill_columns(sentence, PREDICTED, COLUMNS)
    assert [word.lemma for word in sentence.words] == ["mouse", "bark"]


def test_a_tree_is_filled_in_place() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"])
    tree = ParseTree([2, 0], [1, 0], [0.5, 1.0], [0.25, 1.0], -1.0, PREDICTED)
    [found] = filled_sentences(sentence, [tree], ParseOptions(probabilities=True), ["root", "nsubj"], COLUMNS)
    assert found is sentence
    assert (sentence.heads, sentence.deprels) == ([2, 0], ["nsubj", "root"])
    assert sentence.words[0].misc == "HeadProb=0.5000|DeprelProb=0.2500"
