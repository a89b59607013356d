"""JSON: valid by its schema, streamed, and faithful to the columns of CoNLL-U."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.rendering.json_format import schema, to_object, write
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence, Token

from .samples import JOHN, RICH, SAMPLES, sentences


def written(drawn: Iterable[Sentence]) -> Any:
    stream = StringIO()
    write(drawn, stream)
    return json.loads(stream.getvalue().encode("utf-8"))


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_the_samples_obey_the_schema(validator: Any) -> None:
    validator.validate(written(SAMPLES.values()))
    validator.validate(written([]))


def test_english_obeys_the_schema(validator: Any, ewt: Path) -> None:
    objects = written(read_conllu(ewt))
    validator.validate(objects)
    assert [len(value["tokens"]) for value in objects] == [len(sentence) for sentence in read_conllu(ewt)]


def test_the_schema_refuses_what_is_not_written(validator: Any) -> None:
    value = to_object(JOHN)
    for fault in ({"head": -1}, {"upos": 3}, {"more": 1}, {"head_prob": 1.5}):
        token = value["tokens"][0] | fault
        assert not validator.is_valid([value | {"tokens": [token]}]), fault


@given(drawn=st.lists(sentences(), max_size=3))
def test_any_sentence_obeys_the_schema(validator: Any, drawn: list[Sentence]) -> None:
    objects = written(drawn)
    validator.validate(objects)
    for value, sentence in zip(objects, drawn, strict=True):
        assert [token["form"] for token in value["tokens"]] == sentence.forms
        assert [token["head"] for token in value["tokens"]] == sentence.heads


def test_everything_that_conllu_has() -> None:
    value = to_object(RICH)
    assert (value["sent_id"], value["text"]) == ("s-1", "Don't _")
    assert value["comments"] == ["# sent_id = s-1", "# text = Don't _"]
    assert value["ranges"] == [{"first": 1, "last": 2, "form": "Don't", "misc": {}, "start": None, "end": None}]
    assert value["tokens"][0] == {
        "id": 1,
        "form": "Do",
        "lemma": "do",
        "upos": "AUX",
        "xpos": "VB",
        "feats": {"Mood": "Imp", "VerbForm": "Fin"},
        "head": 3,
        "deprel": "aux",
        "deps": [{"head": "3", "deprel": "aux"}],
        "misc": {},
        "start": None,
        "end": None,
        "head_prob": 0.98,
        "deprel_prob": 0.5,
    }
    assert value["tokens"][1]["misc"] == {"Gloss": "not,no", "Bare": None, "HeadProb": "high"}
    assert value["tokens"][2]["lemma"] == "_"
    assert value["empty_nodes"][0]["deps"] == [
        {"head": "3", "deprel": "obj"},
        {"head": "2.1", "deprel": "dep:sub"},
    ]


def test_offsets_of_raw_text() -> None:
    sentence = Sentence([Token("1", "x", start=3, end=4)], start=3, end=4)
    value = to_object(sentence)
    assert (value["start"], value["end"]) == (3, 4)
    assert (value["tokens"][0]["start"], value["tokens"][0]["end"]) == (3, 4)


def test_what_is_not_known_is_null() -> None:
    (token,) = to_object(Sentence([Token("1", "x")], ["# text = y"]))["tokens"]
    assert [key for key, value in token.items() if value is None] == [
        "lemma", "upos", "xpos", "head", "deprel", "start", "end",
    ]  # fmt: skip


def test_one_sentence_a_line_one_at_a_time() -> None:
    stream = StringIO()

    def source() -> Iterator[Sentence]:
        yield JOHN
        assert "John" in stream.getvalue()
        yield JOHN

    write(source(), stream)
    first, one, two, last = stream.getvalue().splitlines()
    assert (first, one, last) == ("[", two + ",", "]")


def test_half_a_surrogate_pair_can_be_encoded() -> None:
    assert written([Sentence([Token("1", "\ud800")])])[0]["tokens"][0]["form"] == "\ud800"


def test_what_is_less_probable_is_a_list(validator: Any) -> None:
    sentence = Sentence.from_words(["a", "b", "c"])
    miscs = ("UposProb=0.25|LowConfidence=upos,head|A=B", "LowConfidence=Yes|LemmaProb=2", "LowConfidence")
    for word, misc in zip(sentence.words, miscs, strict=True):
        word.misc = misc
    first, second, third = to_object(sentence)["tokens"]
    assert (first["upos_prob"], first["low_confidence"], first["misc"]) == (0.25, ["upos", "head"], {"A": "B"})
    assert second["misc"] == {"LowConfidence": "Yes", "LemmaProb": "2"}, "somebody else wrote these"
    assert "low_confidence" not in third
    validator.validate([to_object(sentence)])
