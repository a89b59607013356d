"""The service as a process: its address, its end, and what it says of faults."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pointree

from .conftest import PATIENCE, eventually

if TYPE_CHECKING:
    from pointree.parser import Parser

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
httpx = pytest.importorskip("httpx", reason="needs httpx")


@contextmanager
def process(*arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    env = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1]), "OMP_NUM_THREADS": "1"} | variables
    command = [sys.executable, "-m", "pointree", "serve", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as started:
        try:
            yield started
        finally:
            started.kill()


def address(started: subprocess.Popen[str]) -> str:
    assert started.stderr is not None
    for line in started.stderr:
        if line.startswith("serving "):
            return line.split()[-1]
    raise AssertionError("the service ended before it began")


def drain(started: subprocess.Popen[str]) -> None:
    """Keep reading the log, so that the service never waits for somebody to do so."""
    threading.Thread(target=started.communicate, daemon=True).start()


@pytest.mark.slow
def test_sigterm_under_load_finishes_what_was_accepted(model_folder: Path) -> None:
    with process("--model", f"m={model_folder}", "--port", "0", "--precision", "fp32") as started:
        url = address(started)
        assert url.startswith("http://127.0.0.1:")
        drain(started)
        replies: list[Any] = []
        lock, begun = threading.Lock(), threading.Semaphore(0)

        def ask(number: int) -> None:
            fields = {"words": [["word"] * 10] * 150, "stream": number % 2 == 0}
            with httpx.Client(timeout=PATIENCE) as client:
                with client.stream("POST", f"{url}/v1/parse", json=fields) as reply:
                    begun.release()
                    text = reply.read().decode()
                with lock:
                    replies.append((reply.status_code, text))

        threads = [threading.Thread(target=ask, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        assert begun.acquire(timeout=PATIENCE)
        started.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(PATIENCE)
        assert started.wait(PATIENCE) == 0
        assert [status for status, _ in replies] == [200] * 8
        for _, text in replies:
            sentences = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
            assert len(sentences) == 150


@pytest.mark.slow
def test_the_key_may_come_from_the_environment(model_folder: Path) -> None:
    with process("-m", str(model_folder), "--port", "0", POINTREE_API_KEY="k") as started:
        url = address(started)
        assert httpx.get(f"{url}/v1/models").status_code == 401
        assert httpx.get(f"{url}/v1/models", headers={"X-API-Key": "k"}).json()["default"] == "tiny"
        started.send_signal(signal.SIGINT)
        assert started.wait(PATIENCE) == 0


def test_it_is_healthy_but_not_ready_while_models_load(parser: Parser) -> None:
    from pointree.serving.app import create_app
    from pointree.serving.limits import Limits
    from pointree.serving.registry import Registry, ServedModel
    from pointree.serving.server import bind, serve
    from pointree.serving.service import Service

    service, go_on = Service(), threading.Event()
    seen: dict[str, Any] = {}

    def load() -> None:
        assert go_on.wait(PATIENCE)
        service.registry = Registry([ServedModel("tiny", parser)])

    def ask(url: str) -> None:
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            for path in ("/healthz", "/readyz", "/v1/models", "/models"):
                seen[path] = client.get(path)
            seen["parse"] = client.post("/v1/parse", json={"words": [["It", "rains"]]})
            go_on.set()
            assert eventually(lambda: client.get("/readyz").status_code == 200)
            seen["later"] = client.post("/v1/parse", json={"words": [["It", "rains"]]})
        signal.raise_signal(signal.SIGTERM)

    announced: list[str] = []
    with bind("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        client = threading.Thread(target=ask, args=[url])
        client.start()
        serve(create_app(service), listener, Limits(), load=load, announce=announced.append)
        client.join(PATIENCE)
    assert announced == [url]
    assert seen["/healthz"].status_code == 200
    assert (seen["/readyz"].status_code, seen["/readyz"].json()["reason"]) == (503, "the models are still loading")
    for path in ("/v1/models", "/models", "parse"):
        assert (seen[path].status_code, seen[path].json()["error"]["code"]) == (503, "loading")
        assert seen[path].headers["retry-after"] == "1"
    assert seen["later"].status_code == 200


def test_a_model_that_does_not_load_ends_the_service() -> None:
    from pointree.errors import ModelError
    from pointree.serving.app import create_app
    from pointree.serving.limits import Limits
    from pointree.serving.server import bind, serve
    from pointree.serving.service import Service

    def load() -> None:
        raise ModelError("damaged")

    announced: list[str] = []
    with bind("127.0.0.1", 0) as listener, pytest.raises(ModelError, match=r"^damaged$"):
        serve(create_app(Service()), listener, Limits(), load=load, announce=announced.append)
    assert not announced


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_terminal_that_closes_is_a_normal_end_but_not_below_nohup() -> None:
    import uvicorn
    from fastapi import FastAPI

    from pointree.serving.server import Server

    server = Server(uvicorn.Config(FastAPI(), log_config=None))
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with server.capture_signals():
            signal.raise_signal(signal.SIGHUP)
        assert not server.should_exit
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with server.capture_signals():
            signal.raise_signal(signal.SIGHUP)
        assert server.should_exit
    finally:
        signal.signal(signal.SIGHUP, old)


def test_a_port_in_use_is_one_line() -> None:
    from pointree.errors import UsageError
    from pointree.serving.server import bind

    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError, match=f"^serve: cannot listen on 127.0.0.1 port {port}: Address already in use"):
            bind("127.0.0.1", port)
    with pytest.raises(UsageError, match=r"^serve: cannot listen on no\.such\.host\.invalid port 1: "):
        bind("no.such.host.invalid", 1)


def test_ipv6() -> None:
    from pointree.serving.server import bind

    try:
        listener = bind("::1", 0)
    except Exception:
        pytest.skip("this machine has no IPv6")
    with listener:
        assert listener.family == socket.AF_INET6
