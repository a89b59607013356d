"""Forms in the query, URL-encoded, and in parts."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")

from pointree.serving.failures import RequestError
from pointree.serving.forms import read_fields

URLENCODED = "application/x-www-form-urlencoded; charset=utf-8"
MULTIPART = 'multipart/form-data; boundary="b-1"'


def test_flags_in_the_query_are_empty_fields() -> None:
    assert read_fields(b"tokenizer&tagger=&data=a%20b+c%C3%A9", "", b"") == {
        "tokenizer": "",
        "tagger": "",
        "data": "a b cé",
    }


def test_the_body_counts_over_the_query_and_the_last_over_the_first() -> None:
    assert read_fields(b"a=1&b=1", URLENCODED, b"b=2&b=3") == {"a": "1", "b": "3"}


def test_parts_keep_their_line_ends() -> None:
    body = (
        b'preamble\r\n--b-1\r\nContent-Disposition: form-data; name="data"; filename="x.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\nline\r\nother\n\r\n\r\n--b-1\r\n"
        b"content-disposition: form-data; name=tagger\r\n\r\n\r\n--b-1--\r\nepilogue"
    )
    assert read_fields(b"", MULTIPART, body) == {"data": "line\r\nother\n\r\n", "tagger": ""}


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("", b"a=b", 415),
        ("multipart/form-data", b"--b", 415),
        (MULTIPART, b"no boundary", 400),
        (MULTIPART, b"--b-1\r\nContent-Disposition: form-data; name=a\r\n\r\nunfinished", 400),
        (MULTIPART, b"--b-1\r\nContent-Type: text/plain\r\n\r\nx\r\n--b-1--", 400),
        (MULTIPART, b"--b-1\r\nContent-Disposition: form-data; name=a\r\n\r\n\xff\r\n--b-1--", 400),
        (URLENCODED, b"a=%ff", 400),
        (URLENCODED, b"\xff=1", 400),
        (URLENCODED, b"&".join([b"a=1"] * 101), 400),
    ],
)
def test_what_is_no_form_is_refused(content_type: str, body: bytes, status: int) -> None:
    with pytest.raises(RequestError) as failure:
        read_fields(b"", content_type, body)
    assert failure.value.status == status


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (MULTIPART, b"--b-1\r\nContent-Disposition: form-data; name=a" + b";" * 400_000 + b"\r\n\r\nx\r\n--b-1--"),
        (
            MULTIPART,
            b"--b-1\r\n" + b"X-A: b\r\n" * 50_000 + b"Content-Disposition: form-data; name=a\r\n\r\nx\r\n--b-1--",
        ),
        ("multipart/form-data; boundary=b-1" + ";" * 400_000, b"--b-1\r\n"),
        ("multipart/form-data" + ";" * 400_000 + " boundary=b-1", b"--b-1\r\n"),
        (MULTIPART, b"\r\n--b-" * 500_000),
    ],
)
def test_headers_of_semicolons_are_refused_at_once(content_type: str, body: bytes) -> None:
    started = time.process_time()
    with pytest.raises(RequestError):
        read_fields(b"", content_type, body)
    assert time.process_time() - started < 1
