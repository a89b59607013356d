"""The model of each input, and the warning of a foreign text."""

import io
import logging
from pathlib import Path

import pytest

from pointree.errors import ModelError, UsageError
from pointree.models.language import read_language, write_language
from pointree.models.layout import MANIFEST
from pointree.models.registry import MODELS_VARIABLE
from pointree.pipeline import parse_files
from pointree.pipeline.inputs import Input
from pointree.pipeline.languages import LanguageWarner, group_by_model
from pointree.treebank.sentence import Sentence

SWEDISH = (
    "Vädret i norra delen av landet blir kallt och blåsigt under resten av veckan. "
    "Hon sade till dem att det inte fanns något de kunde göra åt priset på huset. "
    "Det är en av de saker som man helst inte vill behöva förklara för sina barn. "
)
ENGLISH = (
    "The weather in the north of the country will be cold and windy for the rest of the week. "
    "She told them that there was nothing they could do about the price of the house. "
)
GREEK = "Ο καιρός στο βόρειο τμήμα της χώρας θα είναι κρύος και θυελλώδης για το υπόλοιπο της εβδομάδας. " * 4


def sentence(text: str) -> Sentence:
    return Sentence.from_words(text.split())


@pytest.fixture
def swedish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder that is found as the model `sv`, which only has a language."""
    folder = tmp_path / "models" / "sv"
    write_language(folder, [sentence(part + ".") for part in SWEDISH.split(".") if part.strip()] * 4)
    (folder / MANIFEST).write_text("{}")
    monkeypatch.setenv(MODELS_VARIABLE, str(folder.parent))
    return "sv"


def chosen(*inputs: Input) -> list[tuple[str, list[int]]]:
    return [(names[0], [number for number, _ in group]) for names, group in group_by_model(inputs, ("auto",), None)]


def test_each_input_has_the_model_of_its_language(swedish: str, tmp_path: Path) -> None:
    file = tmp_path / "brev.txt"
    file.write_text(SWEDISH, encoding="utf-8")
    treebank = tmp_path / "brev.conllu"
    treebank.write_text("".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in enumerate(SWEDISH.split(), 1)))
    found = chosen(Input("<text>", ENGLISH), Input(str(file)), Input(str(treebank)), Input("<text>", ENGLISH))
    assert found == [("en", [1]), (swedish, [2, 3]), ("en", [4])]


def test_standard_input_is_looked_at_and_still_whole(swedish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SWEDISH.encode())))
    names, group = next(group_by_model([Input("-")], ("auto",), None))
    assert names == (swedish,)
    [(_number, given)] = group
    with given.open() as stream:
        assert stream.read().decode() == SWEDISH


def test_text_without_letters_goes_to_the_first_model(swedish: str) -> None:
    assert chosen(Input("<text>", "2 + 2 = 4")) == [(swedish, [1])]


def test_a_language_that_nobody_has_is_told_in_one_line(swedish: str) -> None:
    with pytest.raises(ModelError, match=r"letter\.txt: model auto: .*: sv, en, en-fast;"):
        chosen(Input("letter.txt", GREEK))


def test_a_text_of_two_languages_is_told_in_one_line(swedish: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    text = f"{SWEDISH}\n" * 4 + f"\n{ENGLISH * 3}\n"
    assert chosen(Input("letter.txt", text)) == [(swedish, [1])]
    [record] = caplog.records
    assert record.getMessage() == (
        "letter.txt: parts of this text look like en, but all of it is parsed with sv; "
        "give each language as a file of its own"
    )


def test_auto_stands_alone() -> None:
    with pytest.raises(UsageError, match="expected no other model beside it, found 2 models"):
        list(group_by_model([Input("<text>", "x")], ("auto", "en"), None))


def test_without_profiles_auto_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointree.pipeline.languages.language_profiles", dict)
    with pytest.raises(ModelError, match="no installed model says what its language is"):
        chosen(Input("<text>", ENGLISH))


def test_a_damaged_profile_does_not_keep_others_from_their_models(swedish: str, tmp_path: Path) -> None:
    (tmp_path / "models" / "sv" / "language.json").write_text("{}")
    assert chosen(Input("<text>", ENGLISH)) == [("en", [1])]


def test_old_folders_have_no_language(tmp_path: Path) -> None:
    assert read_language(tmp_path) is None


def watched(texts: list[str], caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.WARNING, "pointree.messages")
    sentences = [sentence(text) for text in texts]
    assert list(LanguageWarner().watch(sentences, ("en",))) == sentences
    return [record.getMessage() for record in caplog.records]


def test_a_foreign_text_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    [message] = watched([SWEDISH, SWEDISH] * 20, caplog)
    assert message.startswith("“Vädret i norra delen av landet blir kall…”")
    assert "does not look like the language of the model en" in message


def test_a_text_that_is_foreign_to_each_of_several_models_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    list(LanguageWarner().watch([sentence(SWEDISH)] * 9, ("en", "en-fast")))
    [record] = caplog.records
    assert "the language of the model en + en-fast; expect" in record.getMessage()


def test_own_language_and_short_texts_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    assert watched([ENGLISH] * 3, caplog) == []
    assert watched(["Det är kallt."], caplog) == []
    assert watched([], caplog) == []


def test_the_second_document_is_looked_at_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    documents = [sentence(ENGLISH * 2), sentence(SWEDISH)]
    for number, document in enumerate(documents):
        document.set_meta("newdoc id", str(number))
    list(LanguageWarner().watch(documents, ("en",)))
    assert len(caplog.records) == 1


def test_a_text_that_is_partly_in_a_language_that_nobody_has_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    assert chosen(Input("letter.txt", f"{ENGLISH * 2}\n{GREEK}")) == [("en", [1])]
    [record] = caplog.records
    assert record.getMessage().startswith("letter.txt: parts of this text are in none of the languages")


def test_a_treebank_in_two_languages_is_looked_at_by_sentence(
    swedish: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    path = tmp_path / "both.conllu"
    rows = ("".join(f"{n}\t{word}" + "\t_" * 8 + "\n" for n, word in enumerate(text.split(), 1)) for text in
            (ENGLISH, SWEDISH, ENGLISH, SWEDISH))  # fmt: skip
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert chosen(Input(str(path))) == [("en", [1])]
    [record] = caplog.records
    assert f"look like {swedish}, but all of it is parsed with en" in record.getMessage()


@pytest.mark.slow
def test_a_text_is_not_warned_of_twice(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "pointree.messages")
    parse_files([f"{ENGLISH * 2}\n{GREEK}"], io.StringIO(), model="auto")
    assert len(caplog.records) == 1


@pytest.mark.slow
def test_parse_files_chooses_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pointree.messages")
    output = io.StringIO()
    parse_files([ENGLISH, "It rains."], output, model="auto")
    assert "\tnsubj\t" in output.getvalue()
    assert "# newdoc id = text-2" in output.getvalue()
    assert [record.getMessage() for record in caplog.records] == ["<text>: parsed with the model en"] * 2
