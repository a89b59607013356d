"""Models of the Hugging Face Hub: a stand-in of its library, and the real one against a local server."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pointree
from pointree.errors import MissingExtraError, ModelError
from pointree.models.hub import HubId, parse_hub_id
from pointree.models.registry import resolve_model

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}


def make_model(folder: Path) -> Path:
    """A folder that looks like a model to everything but `load`."""
    folder.mkdir(parents=True)
    (folder / "pointree.json").write_text('{"format": 1}')
    return folder


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the working folder has the name of a model."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def test_ids_and_their_text() -> None:
    assert parse_hub_id("org/name") == HubId("org/name")
    assert parse_hub_id("org/name@refs/pr/1") == HubId("org/name", "refs/pr/1")
    assert [str(parse_hub_id(text)) for text in ("org/name", "org/name@v1")] == ["org/name", "org/name@v1"]
    assert [parse_hub_id(text) for text in ("en", "a/b/c", "../a", "a--b/c", "a/b.", "a/b@../c")] == [None] * 6


class RepositoryNotFoundError(Exception): ...


class RevisionNotFoundError(Exception): ...


class LocalEntryNotFoundError(Exception): ...


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A stand-in for `huggingface_hub` that answers with what the test puts under "answer", and keeps the questions."""
    state: dict[str, Any] = {"answer": None, "asked": []}

    def snapshot_download(repo_id: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        state["asked"].append((repo_id, revision, allow_patterns))
        if isinstance(state["answer"], Exception):
            raise state["answer"]
        return str(state["answer"])

    library, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")
    library.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    for error in (RepositoryNotFoundError, RevisionNotFoundError, LocalEntryNotFoundError):
        setattr(errors, error.__name__, error)
    monkeypatch.setitem(sys.modules, "huggingface_hub", library)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)
    return state


def test_a_hub_id_is_downloaded_with_its_revision(hub: dict[str, Any], tmp_path: Path) -> None:
    hub["answer"] = make_model(tmp_path / "snapshot")
    assert resolve_model("org/name") == tmp_path / "snapshot"
    assert resolve_model("some-org/name.v2@refs/pr/1") == tmp_path / "snapshot"
    (first, second) = hub["asked"]
    assert first[:2] == ("org/name", None)
    assert second[:2] == ("some-org/name.v2", "refs/pr/1")
    assert "weights.safetensors" in first[2]


def test_a_folder_comes_before_the_hub(hub: dict[str, Any]) -> None:
    make_model(Path("org/name"))
    Path("org/empty").mkdir()
    assert resolve_model("org/name") == Path("org/name")
    assert resolve_model("org/empty") == Path("org/empty")
    assert hub["asked"] == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RepositoryNotFoundError("401"), "org/name@v1: no such folder, and no such model on the Hugging Face Hub"),
        (RevisionNotFoundError("404"), "org/name@v1: the model org/name of the Hugging Face Hub has no revision v1"),
        (
            LocalEntryNotFoundError("long\ntext"),
            "org/name@v1: no such folder, not in the cache of the Hugging Face Hub, and the Hub cannot be reached",
        ),
        (OSError("disk full\nreally"), "org/name@v1: cannot be loaded from the Hugging Face Hub: disk full"),
        (TimeoutError(), "org/name@v1: cannot be loaded from the Hugging Face Hub: TimeoutError"),
    ],
)
def test_faults_of_the_hub_are_one_line(hub: dict[str, Any], error: Exception, message: str) -> None:
    hub["answer"] = error
    with pytest.raises(ModelError) as caught:
        resolve_model("org/name@v1")
    assert str(caught.value) == message


def test_a_repository_without_a_model_is_refused(hub: dict[str, Any], tmp_path: Path) -> None:
    hub["answer"] = tmp_path
    with pytest.raises(ModelError, match=r"^org/name: not a pointree model: the repository .* has no pointree\.json$"):
        resolve_model("org/name")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError) as caught:
        resolve_model("org/name")
    assert str(caught.value) == (
        "org/name: no such folder, and a model of the Hugging Face Hub needs an optional dependency: "
        "pip install 'pointree[hub]'"
    )


class HubHandler(http.server.BaseHTTPRequestHandler):
    """As much of the Hub's protocol as downloading one repository, ``org/name``, takes."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes]
    commit = "a" * 40

    def do_GET(self) -> None:
        place = self.path.partition("?")[0]
        if place in ("/api/models/org/name/revision/main", "/api/models/org/name/revision/v1"):
            siblings = [{"rfilename": name} for name in self.files]
            self.answer(200, json.dumps({"id": "org/name", "sha": self.commit, "siblings": siblings}).encode())
        elif place.startswith("/api/models/org/name/tree/"):
            listed = [
                {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for name, data in self.files.items()
            ]
            self.answer(200, json.dumps(listed).encode())
        elif place.startswith(f"/org/name/resolve/{self.commit}/"):
            data = self.files[place.rpartition("/")[2]]
            self.answer(200, data, ETag=f'"{hashlib.sha1(data).hexdigest()}"', X_Repo_Commit=self.commit)
        elif place.startswith("/api/models/org/name/"):
            self.answer(404, b"{}", X_Error_Code="RevisionNotFound")
        else:
            self.answer(404, b"{}", X_Error_Code="RepoNotFound")

    def do_HEAD(self) -> None:
        self.do_GET()

    def answer(self, code: int, data: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub_server() -> Iterator[str]:
    """The address of a local Hub with one model and the checkpoint that its owner forgot to remove."""
    HubHandler.files = {"pointree.json": b'{"format": 1}', "words.json": b"{}", "checkpoint.safetensors": b"huge"}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), HubHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_the_real_library_against_a_local_hub(hub_server: str, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    code = """
import sys
from pointree.errors import ModelError
from pointree.models.registry import resolve_model
for model in sys.argv[1:]:
    try:
        print(model, *sorted(path.name for path in resolve_model(model).iterdir()))
    except ModelError as error:
        print(error)
"""

    def resolve(*wanted: str, **variables: str) -> list[str]:
        place = {"HF_ENDPOINT": hub_server, "HF_HOME": str(tmp_path / "cache")}
        # Other tests keep this process off the Hub; the local one is to be asked.
        env = ENVIRONMENT | place | {"NO_PROXY": "127.0.0.1", "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(
            [sys.executable, "-c", code, *wanted], env=env | variables, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    assert resolve("org/name", "org/name@v1", "org/name@v9", "org/other") == [
        "org/name pointree.json words.json",
        "org/name@v1 pointree.json words.json",
        "org/name@v9: the model org/name of the Hugging Face Hub has no revision v9",
        "org/other: no such folder, and no such model on the Hugging Face Hub",
    ]
    assert resolve("org/name", "org/name@v2", HF_HUB_OFFLINE="1") == [
        "org/name pointree.json words.json",
        "org/name@v2: no such folder, not in the cache of the Hugging Face Hub, and the Hub cannot be reached",
    ]
