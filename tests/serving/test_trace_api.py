"""`/v1/draw` and `/v1/trace` answer what the parser itself says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

from pointree.parser import Parser
from pointree.rendering.svg import draw_svg
from pointree.serving.trace_api import MAX_TRACE_WORDS
from pointree.treebank.conllu import format_sentence

TEXT = "John and Mary play tennis. <b>They</b> won & left."


def test_drawings_are_those_of_the_parser(served: Any, parser: Parser) -> None:
    reply = served.client.post("/v1/draw", json={"text": TEXT, "beam": 3, "projective": True})
    assert reply.status_code == 200
    assert reply.headers["x-pointree-model"] == "tiny-test"
    expected = parser.parse_text(TEXT, beam=3, projective=True)
    assert reply.json() == [
        {"text": sentence.text, "conllu": format_sentence(sentence), "svg": draw_svg(sentence)} for sentence in expected
    ]


def test_traces_are_those_of_the_parser(served: Any, parser: Parser) -> None:
    drawn = served.client.post("/v1/draw", json={"text": TEXT}).json()
    reply = served.client.post("/v1/trace", json={"text": TEXT, "beam": 2, "single_root": False, "model": "other"})
    expected = [
        parser.trace(sentence, beam=2, single_root=False).to_object() | {"model": "other"}
        for sentence in parser.parse_text(TEXT)
    ]
    assert reply.json() == expected
    again = served.client.post("/v1/trace", json={"conllu": drawn[0]["conllu"], "beam": 2, "single_root": False})
    assert again.json() == [expected[0] | {"model": "tiny-test"}]


def test_no_text_has_no_sentences(served: Any) -> None:
    assert served.client.post("/v1/trace", json={"text": " "}).json() == []


@pytest.mark.parametrize("route", ["/v1/draw", "/v1/trace"])
@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"text": "a", "model": "../secret"}, 404, "model: expected one of tiny-test, other, found '../secret'"),
        ({}, 422, "expected one of text and conllu, found none"),
        ({"text": "a", "conllu": "b"}, 422, "expected one of text and conllu, found both"),
        ({"text": "a", "beam": 0}, 422, "greater than or equal to 1"),
        ({"text": "a", "beam": 33}, 422, "beam: expected at most 32, found 33"),
        ({"text": "a", "colour": "red"}, 422, "colour"),
        ({"text": 3}, 422, "body.text: "),
        ({"text": ["a"]}, 422, "body.text: "),
        ({"text": "a", "beam": "3"}, 422, "body.beam: "),
        ({"text": "a", "projective": 1}, 422, "body.projective: "),
        ({"conllu": "1\tHe\n\n"}, 422, "conllu:1:"),
    ],
)
def test_faults_are_told(served: Any, route: str, body: dict[str, Any], status: int, message: str) -> None:
    reply = served.client.post(route, json=body)
    assert reply.status_code == status
    assert message in reply.json()["error"]["message"]


def test_long_sentences_are_drawn_but_not_traced(served: Any) -> None:
    conllu = "".join(f"{word}\tword\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for word in range(1, MAX_TRACE_WORDS + 2)) + "\n"
    assert served.client.post("/v1/draw", json={"conllu": conllu}).status_code == 200
    reply = served.client.post("/v1/trace", json={"conllu": conllu})
    assert reply.status_code == 413
    error = reply.json()["error"]
    assert error["limit"] == {"name": "trace_words", "value": MAX_TRACE_WORDS}
    assert "expected sentences of at most 200 words to trace, found one of 201" in error["message"]


def test_html_is_escaped_in_drawings(served: Any) -> None:
    text = "<script>alert(1)</script> & </svg><img src=x onerror=alert(1)>"
    for drawn in served.client.post("/v1/draw", json={"text": text}).json():
        root = ElementTree.fromstring(drawn["svg"])
        assert not {"script", "img"} & {element.tag.rpartition("}")[2] for element in root.iter()}
    reply = served.client.post("/v1/draw", json={"text": text})
    assert reply.headers["content-type"] == "application/json"


def test_data_need_the_key(serve: Callable[..., Any]) -> None:
    with serve(api_key="secret") as running:
        for route in ("/v1/draw", "/v1/trace"):
            assert running.client.post(route, json={"text": "a"}).status_code == 401
            reply = running.client.post(route, json={"text": "a"}, headers={"Authorization": "Bearer secret"})
            assert reply.status_code == 200
