"""Trees and predicted columns as they are written into sentences; `tests/test_parser.py` has n-best trees."""

from __future__ import annotations

from pointree.options import ParseOptions
from pointree.search.columns import PredictedColumns
from pointree.search.filling import Filling
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
PREDICTED = PredictedColumns(
    {"upos": [0, 1], "feats": [1, 0], "lemma": [1, 0]},
    {"upos": [0.75, 0.9], "feats": [0.5, 1.0], "lemma": [1.0, 1.0]},
)
FILLING = Filling(["root", "nsubj"], COLUMNS)
TREE = ParseTree([2, 0], [1, 0], [0.5, 1.0], [0.25, 1.0], -1.0, PREDICTED)


def test_values_that_are_missing_are_filled_in() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"], upos=["_", "X"])
    FILLING.fill_columns(sentence, PREDICTED)
    assert [(word.upos, word.feats, word.lemma) for word in sentence.words] == [
        ("NOUN", "Number=Plur", "dog"),
        ("X", "_", "bark"),
    ]


def test_features_are_all_given_or_all_predicted() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"], feats=["_", "Mood=Ind"])
    FILLING.fill_columns(sentence, PREDICTED)
    assert [word.feats for word in sentence.words] == ["_", "Mood=Ind"]


def test_rare_lemmas_are_looked_up() -> None:
    sentence = Sentence.from_words(["Mice", "bark"])
    FILLING.fill_columns(sentence, PREDICTED)
    assert [word.lemma for word in sentence.words] == ["mouse", "bark"]


def test_a_tree_is_filled_in_place() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"])
    [found] = FILLING.sentences(sentence, [TREE], ParseOptions())
    assert found is sentence
    assert (sentence.heads, sentence.deprels) == ([2, 0], ["nsubj", "root"])
    assert [word.misc for word in sentence.words] == ["_", "_"]


def test_probabilities_are_those_of_what_the_model_chose() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"], upos=["X", "_"], feats=["A=B", "_"], lemma=["_", "_"])
    FILLING.sentences(sentence, [TREE], ParseOptions(probabilities=True))
    dogs, bark = sentence.words
    assert dogs.misc == "HeadProb=0.5000|DeprelProb=0.2500|LemmaProb=1.0000"
    assert bark.misc == "HeadProb=1.0000|DeprelProb=1.0000|UposProb=0.9000|LemmaProb=1.0000"


def test_probabilities_of_what_was_replaced_are_forgotten() -> None:
    """A head once kept the probability of the head that it replaced."""
    sentence = Sentence.from_words(["Dogs", "bark"], upos=["X", "_"])
    dogs, bark = sentence.words
    dogs.misc = "A=B|HeadProb=0.1111|UposProb=0.2000|LowConfidence=head"
    bark.misc = "DeprelProb=0.1111|UposProb=0.2000"
    FILLING.sentences(sentence, [TREE], ParseOptions())
    assert (dogs.misc, bark.misc) == ("A=B|UposProb=0.2000", "_")


def test_reported_probabilities_are_calibrated() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"])
    halved = Filling(["root", "nsubj"], COLUMNS, lambda quantity, p: p / 2 if quantity == "head" else p)
    halved.sentences(sentence, [TREE], ParseOptions(probabilities=True, min_confidence=0.3))
    assert sentence.words[0].misc.startswith("HeadProb=0.2500|DeprelProb=0.2500|")
    assert sentence.words[0].misc.endswith("|LowConfidence=head,deprel")
    assert "LowConfidence" not in sentence.words[1].misc


def test_what_is_less_probable_is_marked_without_its_probability() -> None:
    sentence = Sentence.from_words(["Dogs", "bark"])
    sentence.words[0].misc, sentence.words[1].misc = "LowConfidence=head", "LowConfidence=head|A=B"
    FILLING.sentences(sentence, [TREE], ParseOptions(min_confidence=0.8))
    assert [word.misc for word in sentence.words] == ["LowConfidence=head,deprel,upos,feats", "A=B"]
