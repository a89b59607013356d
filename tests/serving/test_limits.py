"""Every limit has its status and a JSON error that names it, and the service goes on after each."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import eventually

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
httpx = pytest.importorskip("httpx", reason="needs httpx")

Serve = Callable[..., Any]
HEAD = b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def read_all(connection: socket.socket) -> bytes:
    chunks = []
    while chunk := connection.recv(65536):
        chunks.append(chunk)
    return b"".join(chunks)


def error_of(answer: bytes) -> dict[str, Any]:
    error: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    return error


def check(reply: Any, status: int, name: str, value: float) -> None:
    assert reply.status_code == status
    error = reply.json()["error"]
    assert (error["code"], error["limit"]) == (name, {"name": name, "value": value})
    assert f"{value:g}" in error["message"]


def test_the_defaults_must_make_sense() -> None:
    from pointree.errors import UsageError
    from pointree.serving.limits import Limits

    with pytest.raises(UsageError, match="limit queue must be above 0, found 0"):
        Limits(queue=0)


def test_words_sentences_and_beam(serve: Serve) -> None:
    with serve(words=50, sentence_words=20, beam=4) as running:
        check(running.parse(text="a " * 51), 413, "words", 50)
        check(running.parse(words=[["a"] * 15] * 4), 413, "words", 50)
        check(running.parse(words=[["a"] * 21]), 413, "sentence_words", 20)
        check(running.parse(text="a", beam=5), 422, "beam", 4)
        check(running.parse(text="a", n_best=5), 422, "beam", 4)
        check(running.client.get("/process", params={"data": "a " * 51, "tokenizer": ""}), 413, "words", 50)
        streamed = running.parse(words=[["a"] * 15] * 4, stream=True)
        assert json.loads(streamed.text.splitlines()[-1])["error"]["limit"]["name"] == "words"
        assert running.parse(words=[["a"] * 20] * 2, beam=4).status_code == 200


def test_long_words(serve: Serve) -> None:
    with serve(word_characters=20) as running:
        check(running.parse(text="a" * 21), 413, "word_characters", 20)
        check(running.parse(words=[["a" * 21]]), 413, "word_characters", 20)
        check(running.parse(conllu="1\t" + "a" * 21 + "\t_" * 8 + "\n\n"), 413, "word_characters", 20)
        assert running.parse(text="a" * 20).status_code == 200


def test_a_sentence_of_many_rows_is_refused_unread(serve: Serve) -> None:
    with serve(sentence_words=10) as running:
        check(running.parse(conllu="# comment\n" * 1_000), 413, "sentence_words", 10)


def test_a_long_answer(serve: Serve) -> None:
    with serve(answer_characters=2_000) as running:
        check(running.parse(words=[["a"]] * 100), 413, "answer_characters", 2_000)
        assert running.parse(words=[["a"]] * 100, stream=True).status_code == 200


@pytest.mark.slow
def test_an_announced_body_is_refused_unread(serve: Serve) -> None:
    with serve(body_bytes=1000) as running, running.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 100000000\r\n\r\n" + b"x" * 100)
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert error_of(answer)["limit"] == {"name": "body_bytes", "value": 1000}


@pytest.mark.slow
def test_an_unannounced_body_is_refused_while_it_is_read(serve: Serve) -> None:
    with serve(body_bytes=1000) as running, running.connect() as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        connection.sendall(b"1\r\nx\r\n")
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert error_of(answer)["code"] == "body_bytes"


def test_a_hundred_megabytes_are_not_taken_in(served: Any) -> None:
    sent = 0

    def body() -> Any:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b"x" * (1 << 20)

    with httpx.Client(base_url=served.client.base_url, timeout=60) as client:
        try:
            reply = client.post("/v1/parse", content=body())
            assert reply.status_code == 413
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            pass  # a client that insists on sending may find the connection closed
    assert sent < 60
    assert served.parse(text="Still here.").status_code == 200


def test_a_full_queue_answers_503_and_recovers(serve: Serve) -> None:
    with serve(queue=1, wait=0.5) as running:
        replies: list[Any] = []
        threads = [threading.Thread(target=lambda: replies.append(running.parse(text="Hello."))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        by_status = {reply.status_code: reply for reply in replies}
        assert set(by_status) == {200, 503}
        check(by_status[503], 503, "queue", 1)
        assert by_status[503].headers["retry-after"] == "1"
        assert eventually(lambda: len(running.service.batcher) == 0)
        assert running.parse(text="Hello.").status_code == 200


def test_time(serve: Serve) -> None:
    with serve(seconds=0.05, wait=1.0) as running:
        check(running.parse(text="Hello."), 504, "seconds", 0.05)
        check(running.client.get("/process", params={"data": "a", "tokenizer": ""}), 504, "seconds", 0.05)
        assert eventually(lambda: len(running.service.batcher) == 0)


@pytest.mark.parametrize("start", [b"", b"POST /v1/parse HTTP/1.1\r\nHost: loc"])
def test_a_slow_head_ends_the_connection(serve: Serve, start: bytes) -> None:
    with serve(header_seconds=0.3) as running, running.connect() as connection:
        connection.sendall(start)
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert error_of(answer)["limit"] == {"name": "header_seconds", "value": 0.3}


def test_a_head_that_drips_is_not_given_more_time(serve: Serve) -> None:
    with serve(header_seconds=0.5) as running, running.connect() as connection:
        started = time.monotonic()
        try:
            for byte in HEAD * 3:
                connection.sendall(bytes([byte]))
                time.sleep(0.05)
        except OSError:
            pass
        assert time.monotonic() - started < 0.05 * len(HEAD * 3)


def test_a_slow_second_head_ends_the_connection(serve: Serve) -> None:
    with serve(header_seconds=0.3) as running, running.connect() as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")
        connection.sendall(b"GET /hea")
        assert b"408 Request Timeout" in read_all(connection)


@pytest.mark.slow
def test_a_slow_body_is_refused(serve: Serve) -> None:
    with serve(body_seconds=0.3) as running, running.connect() as connection:
        connection.sendall(HEAD + b'Content-Length: 100\r\n\r\n{"text"')
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert error_of(answer)["limit"] == {"name": "body_seconds", "value": 0.3}


def test_slow_clients_do_not_keep_others_waiting(serve: Serve) -> None:
    with serve() as running:
        slow = [running.connect() for _ in range(50)]
        for connection in slow:
            connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        assert running.parse(text="Hello.").status_code == 200
        for connection in slow:
            connection.close()


def test_too_many_connections(serve: Serve) -> None:
    with serve(connections=2) as running:
        connections = [running.connect() for _ in range(3)]
        answer = read_all(connections[2])
        assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"Retry-After: 1\r\n" in answer
        assert error_of(answer)["limit"] == {"name": "connections", "value": 2}
        for connection in connections:
            connection.close()
        assert eventually(lambda: running.client.get("/healthz").status_code == 200)


@pytest.mark.slow
def test_a_client_that_does_not_read_is_cut_off(serve: Serve) -> None:
    with serve(write_seconds=0.5, body_bytes=1 << 26) as running, running.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = json.dumps({"words": [["long" * 1_000]] * 12_000, "stream": True, "output": "conllu"}).encode()
        connection.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert eventually(lambda: len(running.service.batcher) == 1)
        assert eventually(lambda: len(running.service.batcher) == 0)
        assert running.metric("pointree_words_total") < 12_000
