"""Profiles of languages: which one fits a text, and what is foreign."""

import json
import math

import pytest

from pointree.errors import ModelError
from pointree.text.language import ENOUGH_LETTERS, LanguageProfile

ENGLISH = [
    "The weather in the north of the country will be cold and windy for the rest of the week.",
    "She told them that there was nothing they could do about the price of the house.",
    "What do you think of the people who came with us to the station this morning?",
    "It is one of those things that you would rather not have to explain to your children.",
    "He has been working for the same company since he left school in the spring.",
]
SWEDISH = [
    "Vädret i norra delen av landet blir kallt och blåsigt under resten av veckan.",
    "Hon sade till dem att det inte fanns något de kunde göra åt priset på huset.",
    "Vad tycker du om människorna som följde med oss till stationen i morse?",
    "Det är en av de saker som man helst inte vill behöva förklara för sina barn.",
    "Han har arbetat för samma företag sedan han slutade skolan på våren.",
]
RUSSIAN = "Погода на севере страны будет холодной и ветреной до конца недели, а потом снова станет тепло. "


def profile(texts: list[str]) -> LanguageProfile:
    found = LanguageProfile.of(texts * 4)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def english() -> LanguageProfile:
    return profile(ENGLISH)


@pytest.fixture(scope="module")
def swedish() -> LanguageProfile:
    return profile(SWEDISH)


@pytest.mark.parametrize("text", ["The children told her about the house.", "People who came to the station"])
def test_own_language_has_fewer_bits(english: LanguageProfile, swedish: LanguageProfile, text: str) -> None:
    bits = english.bits(text), swedish.bits(text)
    assert bits[0] is not None
    assert bits[1] is not None
    assert bits[0] < bits[1]


def test_case_digits_and_punctuation_say_nothing(english: LanguageProfile) -> None:
    assert english.bits("The HOUSE, 1984!") == english.bits("the house")


@pytest.mark.parametrize("text", ["", " ", "12 + 3 = 15 …", "😀"])
def test_text_without_letters_has_no_bits_and_is_not_foreign(english: LanguageProfile, text: str) -> None:
    assert english.bits(text) is None
    assert not english.is_foreign(text)


def test_another_language_is_foreign(english: LanguageProfile, swedish: LanguageProfile) -> None:
    assert english.is_foreign(" ".join(SWEDISH))
    assert swedish.is_foreign(" ".join(ENGLISH))
    assert not english.is_foreign(" ".join(ENGLISH))


def test_another_script_is_foreign(english: LanguageProfile) -> None:
    assert english.is_foreign(RUSSIAN * 3)


def test_another_script_is_foreign_whatever_its_bits() -> None:
    # Chinese text has so many bits a letter that English has fewer under its profile.
    lenient = LanguageProfile(profile(ENGLISH).counts, math.inf)
    assert lenient.is_foreign("本文介紹了這個城市的歷史和文化，" * 20)


def test_little_text_is_judged_by_its_script_alone(english: LanguageProfile) -> None:
    assert len(RUSSIAN) < ENOUGH_LETTERS
    assert english.is_foreign(RUSSIAN)
    assert not english.is_foreign(SWEDISH[0][: ENOUGH_LETTERS - 1])
    assert not english.is_foreign("Москва")
    assert not english.is_foreign("He comes from Нижний Новгород in Russia.")


def test_a_script_that_a_language_has_now_and_then_is_not_foreign_in_a_short_text() -> None:
    mixed = profile([*ENGLISH, "Москва"])
    assert not mixed.is_foreign(RUSSIAN)


def test_a_word_without_end_is_not_judged(english: LanguageProfile) -> None:
    assert not english.is_foreign("x" * 10_000)


def test_no_letters_make_no_profile() -> None:
    assert LanguageProfile.of(["", "123", "…"]) is None


def test_one_text_makes_a_profile() -> None:
    found = LanguageProfile.of([ENGLISH[0]])
    assert found is not None
    assert not found.is_foreign(ENGLISH[0] * 3)


def test_json_keeps_the_profile(english: LanguageProfile) -> None:
    read = LanguageProfile.from_json(english.to_json(), "language.json")
    assert read.limit == english.limit
    assert read.bits(SWEDISH[0]) == english.bits(SWEDISH[0])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"limit": "x", "counts": [{}, {}, {}]}',
        '{"limit": 1, "counts": [{}, {}]}',
        '{"limit": 1, "counts": [{"a": -1}, {}, {}]}',
        '{"limit": 1, "counts": [{"a": "b"}, {}, {}]}',
        '{"limit": 1, "counts": [1, 2, 3]}',
        "[" * 100_000,
    ],
)
def test_damaged_files_are_told(content: str) -> None:
    with pytest.raises(ModelError, match=r"language\.json: expected counts of letters"):
        LanguageProfile.from_json(content, "language.json")


def test_the_file_is_plain_json(english: LanguageProfile) -> None:
    assert set(json.loads(english.to_json())) == {"limit", "counts"}
