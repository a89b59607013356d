"""The columns that a model predicts: counted, looked up, written and read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import COLUMNS, ColumnClasses

from ..helpers import ewt_sentences


def sentence(forms: str, **columns: list[str]) -> Sentence:
    return Sentence.from_words(forms.split(), **columns)  # type: ignore[arg-type]


DATA = [
    sentence("Dogs bark", upos=["NOUN", "VERB"], feats=["Number=Plur", "_"], lemma=["dog", "bark"]),
    sentence("Cats sleep", upos=["NOUN", "_"], feats=["Number=Plur", "_"], lemma=["cat", "_"]),
    sentence("Oxen mice", upos=["NOUN", "NOUN"], feats=["Number=Plur", "Number=Plur"], lemma=["ox", "mouse"]),
    sentence("It sleeps", upos=["PRON", "VERB"], feats=["_", "_"], lemma=["it", "sleep"]),
]


def test_columns_without_values_are_left_out() -> None:
    columns = ColumnClasses.build(DATA, COLUMNS)
    assert list(columns.classes) == ["upos", "feats", "lemma"]
    assert columns.sizes == {"upos": 3, "feats": 2, "lemma": 2}
    assert not ColumnClasses.build(DATA, ["xpos"])


def test_no_value_is_a_class_where_words_may_have_none() -> None:
    columns = ColumnClasses.build(DATA, COLUMNS)
    sleep = DATA[1].words[1]
    assert columns.classes["feats"].symbols[columns.number("feats", sleep)] == "_"
    assert columns.number("upos", sleep) == columns.number("lemma", sleep) == -1


def test_lemmas_with_rare_scripts_are_looked_up() -> None:
    columns = ColumnClasses.build(DATA, COLUMNS)
    assert columns.classes["lemma"].symbols == ("lower r1:1:0:", "lower")
    assert columns.lemmas == {"Oxen": "ox", "mice": "mouse"}
    assert columns.number("lemma", DATA[2].words[1]) == -1
    assert [columns.value("lemma", 0, form) for form in ("Birds", "mice")] == ["bird", "mouse"]


def test_lemmas_that_are_sure_come_before_the_network() -> None:
    words = [("saw", "VERB", "see")] * 9 + [("saw", "VERB", "saw"), ("saw", "NOUN", "saw")]
    words += [("left", "VERB", "leave"), ("left", "VERB", "left")]
    forms, tags, lemmas = map(list, zip(*words, strict=True))
    columns = ColumnClasses.build([Sentence.from_words(forms, upos=tags, lemma=lemmas)], COLUMNS)
    assert columns.dictionary == {"VERB": {"saw": "see"}, "NOUN": {"saw": "saw"}}
    assert columns.looked_up({"saw"}).dictionary == columns.dictionary
    assert columns.looked_up({"sew"}).dictionary == {"VERB": {}, "NOUN": {}}
    keep = columns.classes["lemma"].lookup("keep")
    asked = [("saw", "VERB"), ("saw", "NOUN"), ("saw", "X"), ("left", "VERB")]
    assert [columns.value("lemma", keep, *pair) for pair in asked] == ["see", "saw", "saw", "left"]
    verb = columns.classes["upos"].lookup("VERB")
    assert columns.decoded({"upos": [verb], "lemma": [keep]}, ["saw"]) == {"upos": ["VERB"], "lemma": ["see"]}


def test_what_a_class_means_is_what_it_was_counted_for() -> None:
    sentences = ewt_sentences()
    columns = ColumnClasses.build(sentences, COLUMNS)
    for word in (word for each in sentences for word in each.words):
        for column in COLUMNS:
            number = columns.number(column, word)
            assert column == "lemma" or number >= 0
            if number >= 0:
                assert columns.value(column, number, word.form, word.upos) == getattr(word, column)


def test_united_columns_keep_their_numbers() -> None:
    old = ColumnClasses.build(DATA, ("upos", "lemma"))
    other = ColumnClasses.build(
        [sentence("Hello you", upos=["INTJ", "PRON"], xpos=["UH", "PRP"], lemma=["HI", "you"])], COLUMNS
    )
    united = old.united(other)
    for column, classes in old.classes.items():
        assert united.classes[column].symbols[: len(classes)] == classes.symbols
    assert "INTJ" in united.classes["upos"]
    assert "xpos" in united.classes
    assert list(united.only(["lemma"]).classes) == ["lemma"]
    assert united.only(["upos"]).lemmas == {}


def test_round_trip(tmp_path: Path) -> None:
    columns = ColumnClasses.build(ewt_sentences(), COLUMNS)
    columns.save(tmp_path / "heads.json")
    assert ColumnClasses.load(tmp_path / "heads.json") == columns


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([], "expected a JSON object"),
        ({"classes": {}}, 'expected objects under "classes" and "lemmas"'),
        ({"classes": {"form": ["a"]}, "lemmas": {}}, "expected the columns upos, xpos, feats, lemma, found 'form'"),
        ({"classes": {"upos": []}, "lemmas": {}}, "expected a list of strings for upos"),
        ({"classes": {"upos": ["A\tB"]}, "lemmas": {}}, "expected a list of strings for upos"),
        ({"classes": {"upos": ["A", "A"]}, "lemmas": {}}, "upos has a class more than once"),
        ({"classes": {}, "lemmas": {"a": ""}}, 'expected strings under "lemmas"'),
        ({"classes": {}, "lemmas": {}, "dictionary": []}, 'expected objects of strings under "dictionary"'),
        (
            {"classes": {}, "lemmas": {}, "dictionary": {"X": {"a": 1}}},
            'expected objects of strings under "dictionary"',
        ),
    ],
)
def test_damaged_files(tmp_path: Path, content: object, problem: str) -> None:
    (tmp_path / "heads.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=r"heads\.json") as caught:
        ColumnClasses.load(tmp_path / "heads.json")
    assert problem in str(caught.value)
