"""The language of a model on disk, and the model that fits a text."""

from pathlib import Path

import pytest

from pointree.errors import ModelError
from pointree.models.language import fitting_model, read_language, write_language
from pointree.models.layout import LANGUAGE
from pointree.text.language import LanguageProfile
from pointree.treebank.sentence import Sentence

ENGLISH = "the weather in the north of the country will be cold and windy for the rest of the week"
GERMAN = "das wetter im norden des landes wird für den rest der woche kalt und sehr windig bleiben"


def profiles() -> dict[str, LanguageProfile]:
    found = {name: LanguageProfile.of([text] * 10) for name, text in (("en", ENGLISH), ("de", GERMAN))}
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
