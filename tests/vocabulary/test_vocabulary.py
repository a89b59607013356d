"""Vocabularies: numbers of symbols, look-up of words, singletons, and damaged files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.treebank.conllu import read_conllu
from pointree.treebank.sentence import Sentence
from pointree.vocabulary import (
    PAD,
    ROOT,
    UNK,
    CharVocabulary,
    LabelVocabulary,
    Vocabularies,
    Vocabulary,
    WordVocabulary,
)
from pointree.vocabulary import words as module


def test_specials_come_first() -> None:
    vocabulary = Vocabulary.from_counts(Counter("abbccc"), min_count=2)
    assert vocabulary.symbols == ("<pad>", "<unk>", "<root>", "c", "b")
    assert (PAD, UNK, ROOT) == (0, 1, 2)
    assert len(vocabulary) == 5
    assert [vocabulary.lookup(symbol) for symbol in "abc"] == [UNK, 4, 3]
    assert "b" in vocabulary
    assert "a" not in vocabulary


def test_ties_are_in_alphabetical_order() -> None:
    assert Vocabulary.from_counts({"b": 1, "a": 1, "c": 2}).symbols[3:] == ("c", "a", "b")


def test_text_that_looks_like_a_special_is_unknown() -> None:
    vocabulary = Vocabulary.from_counts({"<pad>": 5, "<root>": 5, "a": 1})
    assert vocabulary.lookup("<pad>") == vocabulary.lookup("<root>") == UNK
    words = WordVocabulary.build({"<root>": 5}, 1, ["<unk>", "<pad>"])
    assert len(words) == 3
    assert words.lookup("<pad>") == UNK


def test_labels_have_no_specials() -> None:
    labels = LabelVocabulary.from_counts({"nsubj": 2, "obj": 1})
    assert labels.symbols == ("nsubj", "obj")
    assert labels.lookup("nsubj") == 0
    assert labels.lookup("iobj") == -1


def test_a_word_is_looked_up_exactly_then_in_lower_case() -> None:
    words = WordVocabulary(["Bush", "bush", "the", "ıstakoz", "istanbul"])
    found = {form: words.symbols[words.lookup(form)] for form in ("Bush", "BUSH", "The", "Istakoz", "İstanbul")}
    assert found == {
        "Bush": "Bush",
        "BUSH": "bush",
        "The": "the",
        "Istakoz": "ıstakoz",
        "İstanbul": "istanbul",
    }
    assert words.lookup("absent") == UNK


def test_digits_are_one_in_words_but_not_in_characters() -> None:
    sentences = [Sentence.from_words(["1990", "2000", "0000"])]
    vocabularies = Vocabularies.build(sentences, min_count=1)
    assert vocabularies.words.symbols[3:] == ("0000",)
    assert vocabularies.words.lookup("1234") == 3
    assert set(vocabularies.chars.symbols[3:]) == set("1902")
    assert WordVocabulary(["٣"]).lookup("٣") == 3


def test_characters_are_spelled_one_by_one() -> None:
    chars = CharVocabulary.build({"각": 2, "é": 2, "x": 1}, 2)
    assert chars.symbols[3:] == ("é", "각")
    assert chars.spell("각xé").tolist() == [[4], [UNK], [3]]
    assert chars.spell("").shape == (0, 1)


def test_parts_of_characters_are_known_even_of_characters_never_seen() -> None:
    chars = CharVocabulary.build({"각": 2, "é": 2, "나": 2}, 2, parts=True)
    assert set(chars.symbols[3:]) == {"각", "é", "나", *"\u1100\u1161\u11a8", *"e\u0301", *"\u1102"}
    number = chars.lookup
    assert chars.spell("각").tolist() == [[number("각"), number("\u1100"), number("\u1161"), number("\u11a8")]]
    assert chars.spell("낙é").tolist() == [
        [UNK, number("\u1102"), number("\u1161"), number("\u11a8")],
        [number("é"), number("e"), number("\u0301"), PAD],
    ]
    assert chars.spell("e").tolist() == [[number("e"), PAD, PAD, PAD]]


def test_a_character_of_many_parts_keeps_the_first_three() -> None:
    many = "\u1f82"  # alpha with three marks
    chars = CharVocabulary.build({many: 2}, 2, parts=True)
    assert chars.spell(many).tolist() == [[chars.lookup(symbol) for symbol in (many, "α", "\u0313", "\u0300")]]


def test_words_are_frequent_ones_and_those_of_vectors() -> None:
    words = WordVocabulary.build({"the": 5, "rare": 1, "known": 1, "Known": 1}, 2, ["known", "other", "12", "34"])
    assert words.symbols[3:] == ("the", "known", "other", "00")


def test_singletons_are_words_that_training_has_once() -> None:
    words = WordVocabulary.build({"a": 2, "b": 1, "C": 1, "c": 1, "d": 1}, 2, ["b", "c", "e"])
    assert [words.symbols[number] for number in words.singletons.nonzero()[0]] == ["b"]
    assert not words.singletons[UNK]
    with pytest.raises(ValueError, match=r"read-only"):
        words.singletons[3] = True


def test_look_ups_are_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MEMO_SIZE", 10)
    words = WordVocabulary(["a"])
    assert [words.lookup(f"x{'y' * n}") for n in range(50)] == [UNK] * 50
    assert words.lookup("A") == words.lookup("A") == 3
    assert len(words._memo) <= 10


def test_vector_rows() -> None:
    words = WordVocabulary(["The", "the", "00", "0000", "absent", "Irmak"])
    rows = words.vector_rows(["the", "1990", "12", "00", "ırmak", "0000"])
    assert rows.tolist() == [-1, -1, -1, 0, 0, 3, 5, -1, 4]


def test_vector_rows_of_words_with_digits_take_the_first_of_their_kind() -> None:
    assert WordVocabulary(["0000"]).vector_rows(["the", "1990", "2000"]).tolist() == [-1, -1, -1, 1]


@pytest.mark.parametrize(("tag", "symbols"), [("upos", {"NOUN"}), ("xpos", {"NN"}), ("none", set())])
def test_tags_are_those_of_the_column(tag: str, symbols: set[str]) -> None:
    sentence = Sentence.from_words(["dog"], upos=["NOUN"], xpos=["NN"])
    vocabularies = Vocabularies.build([sentence], tag=tag)  # type: ignore[arg-type]
    assert set(vocabularies.tags.symbols[3:]) == symbols


def test_relations_are_those_of_words_with_heads() -> None:
    sentence = Sentence.from_words(["a", "b"], head=[0, None], deprel=["root", "_"])
    assert Vocabularies.build([sentence]).deprels.symbols == ("root",)


def test_a_folder_is_loaded_as_it_was_saved(ewt: Path, tmp_path: Path) -> None:
    built = Vocabularies.build(read_conllu(ewt), vector_words=["çok", "a b"])
    files = {name: tmp_path / f"{name}.json" for name in ("words", "chars", "tags", "deprels")}
    for name, file in files.items():
        getattr(built, name).save(file)
    loaded = Vocabularies.load(files)
    assert loaded == built
    assert (loaded.words.singletons == built.words.singletons).all()
    assert loaded != Vocabularies.build(read_conllu(ewt))


@pytest.mark.parametrize("parts", [True, False])
def test_parts_of_characters_are_remembered(parts: bool, tmp_path: Path) -> None:
    chars = CharVocabulary.build({"각": 2}, 2, parts=parts)
    chars.save(tmp_path / "chars.json")
    loaded = CharVocabulary.load(tmp_path / "chars.json")
    assert loaded == chars
    assert loaded.spell("각").tolist() == chars.spell("각").tolist()
    assert loaded != CharVocabulary(chars.symbols[3:], parts=not parts)


def test_characters_saved_before_they_had_parts_have_none(tmp_path: Path) -> None:
    Vocabulary(["a"]).save(tmp_path / "chars.json")
    assert not CharVocabulary.load(tmp_path / "chars.json").parts


def test_parts_are_true_or_false(tmp_path: Path) -> None:
    path = tmp_path / "chars.json"
    path.write_text('{"symbols": ["<pad>", "<unk>", "<root>"], "parts": "yes"}')
    with pytest.raises(ModelError, match=r'chars\.json: expected true or false under "parts", found "yes"'):
        CharVocabulary.load(path)


def damaged(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "words.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


SPECIALS = ["<pad>", "<unk>", "<root>"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"symbols": ["<pa', "expected JSON, found a damaged file"),
        ([], "expected a JSON object, found a list"),
        ({}, 'expected a list of strings under "symbols"'),
        ({"symbols": [1]}, 'expected a list of strings under "symbols"'),
        ({"symbols": ["a"]}, "expected the symbols <pad>, <unk>, <root> first, found a"),
        ({"symbols": []}, "expected the symbols <pad>, <unk>, <root> first, found nothing"),
        ({"symbols": [*SPECIALS, "a", "a"]}, "symbol 'a' is there more than once"),
        ({"symbols": [*SPECIALS, "a"]}, 'expected a list of word numbers under "singletons"'),
        (
            {"symbols": [*SPECIALS, "a"], "singletons": [4]},
            'expected a list of word numbers under "singletons"',
        ),
        (
            {"symbols": [*SPECIALS, "a"], "singletons": [True]},
            'expected a list of word numbers under "singletons"',
        ),
    ],
)
def test_damaged_files(tmp_path: Path, content: object, message: str) -> None:
    path = damaged(tmp_path, content)
    with pytest.raises(ModelError) as caught:
        WordVocabulary.load(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"symbols": ["\xff"]}')
    with pytest.raises(ModelError, match=r"x\.json: expected JSON, found a damaged file"):
        Vocabulary.load(tmp_path / "x.json")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"words\.json: missing from the model folder$"):
        Vocabularies.load({name: tmp_path / f"{name}.json" for name in ("words", "chars", "tags", "deprels")})


def test_a_directory_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be read: Is a directory$"):
        Vocabulary.load(tmp_path)
