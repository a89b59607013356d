"""What browsers, proxies and orchestrators rely on: headers, origins, host names, readiness."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import eventually
from .test_limits import error_of, read_all

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

Serve = Callable[..., Any]
GET = ["/", "/healthz", "/readyz", "/docs", "/metrics", "/openapi.json", "/v1/models", "/models", "/page/page.js"]


def test_every_answer_has_safe_headers(served: Any) -> None:
    replies = [served.client.get(path) for path in [*GET, "/nowhere", "/process", "/v1/parse"]]
    replies += [served.parse(text="a"), served.parse(text=1), served.parse(text="a", stream=True)]
    for reply in replies:
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["content-security-policy"]


@pytest.mark.parametrize("path", [*GET, "/process?data=a&tokenizer="])
def test_head_is_get_without_a_body(served: Any, path: str) -> None:
    got, headed = served.client.get(path), served.client.head(path)
    assert headed.status_code == got.status_code == 200
    assert headed.content == b""
    assert headed.headers["content-type"] == got.headers["content-type"]
    if path != "/metrics":
        assert headed.headers["content-length"] == got.headers["content-length"]


def test_head_where_there_is_no_get(served: Any) -> None:
    assert served.client.head("/v1/parse").status_code == 405


@pytest.mark.parametrize("path", ["/v1/models", "/models", "/process?data=a&tokenizer="])
def test_other_origins_are_let_in_only_if_named(served: Any, serve: Serve, path: str) -> None:
    origin = {"Origin": "https://a.example"}
    assert "access-control-allow-origin" not in served.client.get(path, headers=origin).headers
    with serve(cors=["https://a.example"], api_key="k") as running:
        key = {"X-API-Key": "k"}
        reply = running.client.get(path, headers=origin | key)
        assert reply.headers["access-control-allow-origin"] == "https://a.example"
        other = running.client.get(path, headers={"Origin": "https://b.example"} | key)
        assert "access-control-allow-origin" not in other.headers
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-api-key"}
        preflight = running.client.options(path, headers=origin | asked)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == "https://a.example"


def test_host_names(serve: Serve) -> None:
    with serve(allowed_hosts=["Parser.example", "[::1]"]) as running:
        for host, status in (
            ("parser.example", 200),
            ("parser.example:8000", 200),
            ("[::1]:80", 200),
            ("[::1]", 200),
            ("evil.example", 400),
            ("", 400),
        ):
            reply = running.client.get("/v1/models", headers={"Host": host})
            assert reply.status_code == status, host
        assert reply.json()["error"]["code"] == "host"


def test_the_description_names_the_keys(served: Any, serve: Serve) -> None:
    with serve(api_key="k") as running:
        description = running.client.get("/openapi.json").json()
    schemes = description["components"]["securitySchemes"]
    assert {scheme["type"] for scheme in schemes.values()} == {"http", "apiKey"}
    for path, operations in description["paths"].items():
        for operation in operations.values():
            assert ("security" in operation) == (path not in ("/healthz", "/readyz"))
    paths = served.client.get("/openapi.json").json()["paths"]
    assert not any("security" in operation for operations in paths.values() for operation in operations.values())


@pytest.mark.parametrize(
    "request_bytes", [b"\x00\x01 nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET /" + b"a" * 70_000]
)
def test_what_is_no_http_gets_a_json_error(served: Any, request_bytes: bytes) -> None:
    with served.connect() as connection:
        connection.sendall(request_bytes)
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"X-Content-Type-Options: nosniff" in answer
    assert error_of(answer)["code"] == "http"


def test_two_lengths_are_refused(served: Any) -> None:
    head = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with served.connect() as connection:
        connection.sendall(
            head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
        )
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1, "what follows is not taken for a request"
    assert error_of(answer)["code"] == "framing"


def test_long_methods_and_paths_are_cut_in_the_log(served: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "pointree.serving"):
        served.client.request("A" * 5_000, "/" + "b" * 5_000)
        assert eventually(lambda: any(" AAAA" in record.getMessage() for record in caplog.records))
    assert all(len(record.getMessage()) < 400 for record in caplog.records)


class TestReadiness:
    def test_ready(self, served: Any) -> None:
        assert served.client.get("/readyz").json()["status"] == "ok"

    def test_not_ready_while_work_is_stuck(self, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
        release = threading.Event()

        def stuck(*_args: Any) -> Any:
            release.wait()
            yield
            return [[]]

        monkeypatch.setattr("pointree.serving.operations.STUCK_SECONDS", 0.2)
        with serve() as running:
            monkeypatch.setattr("pointree.serving.rounds.run_task", stuck)
            thread = threading.Thread(target=lambda: running.parse(words=[["a"]]))
            thread.start()
            assert eventually(lambda: running.client.get("/readyz").status_code == 503)
            assert running.client.get("/healthz").status_code == 200
            release.set()
            thread.join()
            assert eventually(lambda: running.client.get("/readyz").status_code == 200)

    def test_not_ready_at_the_end(self, serve: Serve) -> None:
        with serve() as running:
            running.client.get("/readyz")
            running.service.batcher.stop()
            assert json.loads(running.client.get("/readyz").content)["status"] == "failed"
