"""SVG files: valid whatever the words, complete, and in the direction of the script."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.rendering.svg import Direction, draw_svg, write
from pointree.treebank.sentence import Sentence

from .samples import CHINESE, HEBREW, JOHN, ODD, sentences

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(root: ET.Element, kind: str) -> list[tuple[str, float]]:
    elements = [element for element in root.iter(f"{SVG}text") if element.get("class") == kind]
    return [(element.text or "", float(element.attrib["x"])) for element in elements]


def forms_from_left_to_right(sentence: Sentence, direction: Direction = "auto") -> list[str]:
    root = ET.fromstring(draw_svg(sentence, direction=direction))
    return [form for form, _ in sorted(texts_of(root, "form"), key=lambda pair: pair[1])]


@given(st.lists(sentences(), max_size=3))
def test_any_sentences_make_valid_xml_with_all_words_and_arcs(drawn: list[Sentence]) -> None:
    stream = StringIO()
    write(drawn, stream)
    root = ET.fromstring(stream.getvalue().encode("utf-8"))
    assert root.tag == f"{SVG}svg"
    assert len(texts_of(root, "form")) == sum(map(len, drawn))
    n_arcs = sum(
        head is not None and head <= len(sentence) and head != dependent
        for sentence in drawn
        for dependent, head in enumerate(sentence.heads, 1)
    )
    assert len(texts_of(root, "deprel")) == n_arcs
    assert len(root.findall(f"{SVG}g")) == len(drawn)
    width = float(root.attrib["width"])
    assert all(0 <= x <= width for kind in ("form", "upos", "deprel") for _, x in texts_of(root, kind))


def test_title_and_description_tell_the_tree() -> None:
    root = ET.fromstring(draw_svg(JOHN))
    assert root.findtext(f"{SVG}title") == "John and Mary play tennis together"
    description = root.findtext(f"{SVG}g/{SVG}desc")
    assert description is not None
    assert description.startswith(
        "John is nsubj of play; and is cc of Mary; Mary is conj of John; play is root of ROOT"
    )


def test_special_and_control_characters_are_text() -> None:
    forms = forms_from_left_to_right(ODD)
    assert forms[5:9] == [r"\x1b[31mred", "\u25cc\u0301", "a<b>&'\"", "\\&%$#_{}~^[|"]


def test_words_name_the_language_of_their_script_so_that_one_font_draws_them_all() -> None:
    japanese = Sentence.from_words(["猫", "は", "眠る"], upos=["NOUN", "ADP", "VERB"], head=[3, 1, 0])
    for sentence, language in [(japanese, "ja"), (CHINESE, "zh")]:
        [group] = ET.fromstring(draw_svg(sentence)).findall(f"{SVG}g/{SVG}g")
        assert group.attrib == {"{http://www.w3.org/XML/1998/namespace}lang": language}
        assert [element.text for element in group] == sentence.forms
    assert "lang=" not in draw_svg(JOHN)


def test_scripts_that_run_leftwards_are_laid_out_so() -> None:
    assert forms_from_left_to_right(JOHN) == JOHN.forms
    assert forms_from_left_to_right(CHINESE) == CHINESE.forms
    assert forms_from_left_to_right(HEBREW) == HEBREW.forms[::-1]
    assert forms_from_left_to_right(HEBREW, "ltr") == HEBREW.forms
    assert forms_from_left_to_right(JOHN, "rtl") == JOHN.forms[::-1]


@pytest.mark.parametrize("drawn", [[], [JOHN], [JOHN, HEBREW]])
def test_a_file_needs_nothing_from_outside(drawn: list[Sentence]) -> None:
    stream = StringIO()
    write(drawn, stream)
    text = stream.getvalue().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not [word for word in ("<script", "href", "http", "@import", "url(") if word in text]
    assert "prefers-color-scheme: dark" in text


def test_several_sentences_stand_below_each_other() -> None:
    one = ET.fromstring(draw_svg(JOHN))
    stream = StringIO()
    write([JOHN, JOHN], stream)
    two = ET.fromstring(stream.getvalue())
    assert two.findtext(f"{SVG}title") == "2 dependency trees"
    assert float(two.attrib["height"]) == pytest.approx(2 * float(one.attrib["height"]), abs=0.2)
    assert two.attrib["width"] == one.attrib["width"]
