"""JSON bodies: faults are told in a line or three, however many there are, and nobody waits meanwhile."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

from pointree.serving.bodies import _parse, has_more_values
from pointree.serving.failures import RequestError
from pointree.serving.limits import Limits
from pointree.serving.schemas import ParseRequest

MANY = 250_000
ATTACKS = {
    "numbers for words": b'{"words": [[' + b"1," * MANY + b"1]]}",
    "empty sentences": b'{"words": [' + b"[]," * MANY + b"[]]}",
    "nested lists": b'{"words": ' + b"[" * MANY + b"]" * MANY + b"}",
    "unknown fields": b"{" + b",".join(b'"k%d": 1' % number for number in range(MANY)) + b', "text": "a"}',
    "a long unknown field": b'{"' + b"k" * 2_000_000 + b'": 1}',
    "a long number": b'{"beam": ' + b"9" * 2_000_000 + b"}",
    "a string without end": b'{"text": "' + b'\\"' * 1_000_000 + b"," * 500_000,
    "a long value": b'{"text": "a", "output": "' + b"x" * 2_000_000 + b'"}',
    "too many words": json.dumps({"words": [["a"] * 1_000] * 300}).encode(),
}


@pytest.mark.parametrize("body", ATTACKS.values(), ids=ATTACKS)
def test_faults_are_few_short_and_cheap(body: bytes) -> None:
    tracemalloc.start()
    started = time.process_time()
    with pytest.raises(RequestError) as failure:
        _parse(body, ParseRequest, Limits())
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 400 <= failure.value.status < 500
    assert len(str(failure.value)) < 1_000
    assert seconds < 3, "far below the half minute that this once took, also while memory is traced"
    assert peak < 64 << 20


def test_values_within_strings_do_not_count() -> None:
    body = json.dumps({"text": ", " * 300_000 + '"[{'}).encode()
    assert has_more_values(body, 0)
    assert not has_more_values(body, 1)
    assert _parse(body, ParseRequest, Limits()).text


def test_the_answer_says_which_limit_it_is(served: Any) -> None:
    reply = served.client.post(
        "/v1/parse", content=ATTACKS["numbers for words"], headers={"Content-Type": "application/json"}
    )
    assert reply.status_code == 413
    assert reply.json()["error"]["limit"] == {"name": "json_values", "value": 200_100}


def test_a_few_faults_of_many_are_told(served: Any) -> None:
    reply = served.parse(text=1, conllu=2, beam="3", stream=4, output=5, sentences=6)
    assert reply.status_code == 422
    assert reply.json()["error"]["message"].endswith("; and 3 more")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b'{"words": [["a", "\\ud800"]]}', 422, "body.words.0.1: expected Unicode text, found a lone U+D800"),
        (b'{"words": [["a"]], "order": "\\ud800"}', 422, "\\ud800"),
        (b'{"words": [["a"]], "\\ud800": 1}', 422, "body.\\ud800: this field is unknown"),
        (b'{"text": "\\ud800"}', 422, "found a lone U+D800"),
        ('{"words": [["a"]]}'.encode("utf-16"), 400, "body: expected UTF-8, found other bytes"),
        (
            b'{"words": [["a"]], "beam": ' + b"9" * 4_000 + b"}",
            422,
            "beam: Input should be less than or equal to 10000",
        ),
    ],
    ids=["word", "order", "field", "text", "UTF-16", "digits"],
)
def test_what_no_answer_can_hold_is_no_fault_of_the_service(
    served: Any, body: bytes, status: int, message: str
) -> None:
    reply = served.client.post("/v1/parse", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == status
    assert message in reply.json()["error"]["message"]
    assert len(reply.content) < 1_500


@pytest.mark.parametrize("route", ["/v1/parse", "/v1/draw", "/v1/trace"])
@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
def test_other_content_types_are_415(served: Any, route: str, content_type: str | None) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    reply = served.client.post(route, content=b'{"text": "a"}', headers=headers)
    assert reply.status_code == 415
    assert reply.json()["error"]["code"] == "content_type"


def test_the_description_says_that_one_input_is_needed(served: Any) -> None:
    import jsonschema

    description = served.client.get("/openapi.json").json()
    for route in ("/v1/parse", "/v1/draw", "/v1/trace"):
        reference = description["paths"][route]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = description["components"]["schemas"][reference.rpartition("/")[2]]
        valid = jsonschema.Draft202012Validator(schema).is_valid
        assert valid({"text": "a", "conllu": None})
        assert not valid({})
        assert not valid({"text": None})
        assert not valid({"text": "a", "conllu": "b"})
