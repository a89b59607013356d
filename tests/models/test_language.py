"""The language of a model on disk, and the model that fits a text."""

import logging
from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.models.language import (
    fitting_model,
    language_profiles,
    other_languages,
    read_language,
    write_language,
)
from pointree.models.layout import LANGUAGE, MANIFEST
from pointree.models.registry import MODELS_VARIABLE
from pointree.text.language import LanguageProfile
from pointree.treebank.sentence import Sentence

ENGLISH = "the weather in the north of the country will be cold and windy for the rest of the week"
GERMAN = "das wetter im norden des landes wird für den rest der woche kalt und sehr windig bleiben"
SWEDISH = "vädret i norra delen av landet blir kallt och blåsigt under resten av veckan och sedan milt igen"
JAPANESE = "北部の天気は今週の残りの間、寒くて風が強いでしょう。彼女は何もできないと言いました。"
TEXTS = {"en": ENGLISH, "de": GERMAN, "sv": SWEDISH, "ja": JAPANESE}


def profiles() -> dict[str, LanguageProfile]:
    found = {name: LanguageProfile.of([text] * 10) for name, text in TEXTS.items()}
    return {name: profile for name, profile in found.items() if profile is not None}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_language(tmp_path / "model", [Sentence.from_words(ENGLISH.split())] * 10)
    found = read_language(tmp_path / "model")
    assert found is not None
    assert found.counts[0]["e"] == 10 * ENGLISH.count("e")


def test_a_treebank_without_letters_has_no_language(tmp_path: Path) -> None:
    write_language(tmp_path, [Sentence.from_words(["1", "."])])
    assert not (tmp_path / LANGUAGE).exists()


@pytest.mark.parametrize(("text", "name"), [(ENGLISH, "en"), (GERMAN, "de")])
def test_the_fitting_model_has_the_fewest_bits(text: str, name: str) -> None:
    assert fitting_model(text, profiles(), "<text>") == name


def test_of_two_models_of_one_language_the_first_is_taken() -> None:
    english = profiles()["en"]
    assert fitting_model("the weather", {"en": english, "en-fast": english}, "<text>") == "en"


def test_a_folder_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / LANGUAGE).mkdir()
    with pytest.raises(ModelError, match="cannot be read"):
        read_language(tmp_path)


@pytest.mark.parametrize("text", ["Βρέχει.", "да", "雨"])
def test_few_letters_of_a_script_that_no_model_has_fit_none(text: str) -> None:
    latin = {name: profile for name, profile in profiles().items() if name != "ja"}
    with pytest.raises(ModelError, match="in none of the languages of the installed models: en, de, sv"):
        fitting_model(text, latin, "<text>")


def test_a_single_letter_goes_to_a_model_of_its_script() -> None:
    assert fitting_model("雨", profiles(), "<text>") == "ja"


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (f"{ENGLISH} {ENGLISH}. " * 20 + f"{SWEDISH} {SWEDISH}. " * 20, ["sv"]),
        (f"{ENGLISH} {ENGLISH}\n\n{SWEDISH} {SWEDISH}\n\n" * 3, ["sv"]),
        (f"{ENGLISH} {ENGLISH}\n{JAPANESE}", ["ja"]),
        (f"{ENGLISH}\n" * 9 + f"{SWEDISH}\n" * 3, ["sv"]),
        (f"{ENGLISH}\n" * 9, []),
        (f"{ENGLISH} ({JAPANESE[:12]})\n" * 9, []),
    ],
    ids=["one long line", "short paragraphs", "a few letters of another script", "the end", "one", "a quotation"],
)
def test_parts_in_another_language_are_found(text: str, others: list[str]) -> None:
    assert other_languages(text, profiles(), "en") == others


def test_a_damaged_profile_leaves_out_its_model_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    for name in ("good", "hurt"):
        write_language(tmp_path / name, [Sentence.from_words(ENGLISH.split())] * 10)
        (tmp_path / name / MANIFEST).write_text("{}")
    (tmp_path / "hurt" / LANGUAGE).write_text("{")
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    assert list(language_profiles()) == ["good", "en", "en-fast"]
    [record] = caplog.records
    assert record.getMessage().endswith("the model hurt is left out")
