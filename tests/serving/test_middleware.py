"""Keys, request ids and the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

Serve = Callable[..., Any]


def test_a_key_is_asked_for_where_data_are(serve: Serve) -> None:
    with serve(api_key="correct horse") as running:
        basic, empty = {"Authorization": "Basic correct horse"}, {"Authorization": "Bearer"}
        for headers in ({}, {"X-API-Key": "wrong"}, basic, empty):
            for path in ("/v1/models", "/models", "/metrics", "/process?data=a", "/nowhere"):
                reply = running.client.get(path, headers=headers)
                assert reply.status_code == 401
                assert reply.json()["error"]["code"] == "unauthorized"
                assert reply.headers["www-authenticate"] == "Bearer"
        for headers in ({"X-API-Key": "correct horse"}, {"Authorization": "Bearer correct horse"}):
            assert running.client.get("/v1/models", headers=headers).status_code == 200
        for path in ("/healthz", "/docs", "/openapi.json"):
            assert running.client.get(path).status_code == 200


def test_a_key_of_other_bytes_is_only_wrong(serve: Serve) -> None:
    with serve(api_key="key") as running:
        assert running.client.get("/v1/models", headers={"X-API-Key": b"\xff\xfe"}).status_code == 401


def test_without_a_key_nobody_is_asked(served: Any) -> None:
    assert served.client.get("/v1/models").status_code == 200


def test_requests_have_ids_in_answers_and_log(served: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "pointree.serving"):
        given = served.client.get("/healthz?secret=1", headers={"X-Request-ID": "trace-7.a"})
        made = served.client.get("/healthz", headers={"X-Request-ID": "no good\u00e9".encode()})
    assert given.headers["x-request-id"] == "trace-7.a"
    assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    lines = [record.getMessage() for record in caplog.records]
    assert any(re.fullmatch(r"trace-7\.a 127\.0\.0\.1 GET /healthz 200 [0-9.]+ ms", line) for line in lines)
    assert not any("secret" in line for line in lines)


def test_requests_are_counted_by_route(served: Any) -> None:
    served.client.get("/no/such/path")
    served.client.get("/no/other/path")
    text = served.client.get("/metrics").text
    assert 'pointree_requests_total{route="other",status="404"}' in text
    assert "/no/such" not in text
    assert served.metric("process_resident_memory_bytes") > 0


def test_other_methods_and_paths_are_json_errors_too(served: Any) -> None:
    for method, path, status in (("GET", "/v1/parse", 405), ("DELETE", "/process", 405), ("GET", "/nowhere", 404)):
        reply = served.client.request(method, path)
        assert reply.status_code == status
        assert reply.json()["error"]["code"] == f"http_{status}"
