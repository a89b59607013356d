"""A service on a real socket of this machine, with a small model that reads text."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import httpx

    from pointree.parser import Parser
    from pointree.serving.service import Service
    from pointree.text.udpipe import TextModel

PATIENCE = 120.0
"""Seconds after which a test gives up: far more than anything takes, even where others use the machine."""


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, ewt: Path, text_model: TextModel) -> Path:
    """A model with random weights, which parses badly but always the same, and a trained tokeniser and tagger."""
    import torch

    from pointree.engines.torch_folder import new_network
    from pointree.models.layout import TEXT_MODEL
    from pointree.treebank.conllu import read_conllu
    from pointree.vocabulary import Vocabularies

    from ..helpers import tiny_config, torch_parser

    sentences = list(read_conllu(ewt))
    config, vocabularies = tiny_config(), Vocabularies.build(sentences, min_count=1)
    torch.manual_seed(1)
    network = new_network(config, vocabularies)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 3.0  # fresh weights hardly tell one word from another
    folder = tmp_path_factory.mktemp("serving") / "tiny"
    torch_parser(config, vocabularies, network.eval()).save(folder)
    shutil.copy(text_model.name, folder / TEXT_MODEL)
    return folder


@pytest.fixture(scope="session")
def parser(model_folder: Path) -> Parser:
    """The model, loaded once for all services."""
    import pointree

    return pointree.load(model_folder, precision="fp32")


@dataclass
class Running:
    """A service that runs, and how to reach it."""

    service: Service
    client: httpx.Client
    port: int

    def parse(self, **fields: Any) -> httpx.Response:
        """Ask `/v1/parse`."""
        return self.client.post("/v1/parse", json=fields)

    def connect(self) -> socket.socket:
        """A connection without a client's good manners."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def metric(self, name: str) -> float:
        """A number of `/metrics`."""
        [line] = [line for line in self.client.get("/metrics").text.splitlines() if line.startswith(f"{name} ")]
        return float(line.split()[1])


@contextmanager
def running(
    parser: Parser, *, wait: float = 0.003, app_options: dict[str, Any] | None = None, **limits: Any
) -> Iterator[Running]:
    """Serve the model in a thread of this process."""
    import httpx

    from pointree.serving.app import create_app
    from pointree.serving.limits import Limits
    from pointree.serving.registry import Registry, ServedModel
    from pointree.serving.server import bind, new_server
    from pointree.serving.service import Service

    service = Service(
        Registry([ServedModel("tiny-test", parser), ServedModel("other", parser)]),
        Limits(**limits),
        wait_seconds=wait,
    )
    listener = bind("127.0.0.1", 0)
    server = new_server(create_app(service, **(app_options or {})), service.limits)
    thread = threading.Thread(target=server.run, args=[[listener]])
    thread.start()
    port = listener.getsockname()[1]
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            yield Running(service, client, port)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def served(parser: Parser) -> Iterator[Running]:
    """A service with the limits that are usual."""
    with running(parser) as service:
        yield service


@pytest.fixture
def serve(parser: Parser) -> Callable[..., Any]:
    """Run a service with other limits for a while."""

    def start(**options: Any) -> Any:
        names = ("api_key", "cors", "allowed_hosts")
        chosen = {name: options.pop(name) for name in names if name in options}
        return running(parser, app_options=chosen, **options)

    return start


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true before patience ends."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
