"""Finding models by name: what is looked at first, what is refused, and what the messages say."""

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
from pointree.models import registry as models
from pointree.models.registry import available_models, resolve_model

from ..helpers import tiny_parser

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}


def make_model(folder: Path) -> Path:
    """A folder that looks like a model to everything but `load`."""
    folder.mkdir(parents=True)
    (folder / "pointree.json").write_text('{"format": 1}')
    return folder


def install(site: Path, name: str, package: str) -> Path:
    """What pip leaves of a wheel with a model, in a folder of packages."""
    info = site / f"{package}-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[pointree.models]\n{name} = {package}\n")
    folder = make_model(site / package)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n")
    return folder


@pytest.fixture(autouse=True)
def nothing_but_what_the_test_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither models of this machine nor those of the package are seen, and the working folder is empty."""
    monkeypatch.delenv(models.MODELS_VARIABLE, raising=False)
    monkeypatch.setattr(models, "_BUNDLED", tmp_path / "bundled")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of installed packages."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site"


def test_folder_then_variable_then_bundled_then_installed(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = install(site, "en", "some_model")
    assert resolve_model("en") == installed
    bundled = make_model(tmp_path / "bundled" / "en")
    assert resolve_model("en") == bundled
    second, first = make_model(tmp_path / "b" / "en"), make_model(tmp_path / "a" / "en")
    monkeypatch.setenv("POINTREE_MODELS", f"{second.parent}")
    assert resolve_model("en") == second
    monkeypatch.setenv("POINTREE_MODELS", os.pathsep.join([str(first.parent), "", str(second.parent)]))
    assert resolve_model("en") == first
    make_model(Path("en"))
    assert resolve_model("en") == Path("en")
    found = [(model.name, model.origin, model.folder) for model in available_models()]
    assert found == [
        ("en", "folder", first),
        ("en", "folder", second),
        ("en", "bundled", bundled),
        ("en", "installed", installed),
    ]


def test_an_installed_model_is_found_without_importing_it(site: Path) -> None:
    install(site, "legal", "pointree_model_legal")
    [model] = available_models()
    assert (model.name, model.source) == ("legal", "pointree_model_legal 2.0")
    assert "pointree_model_legal" not in sys.modules


def test_an_entry_point_that_leads_nowhere_is_passed_over(site: Path) -> None:
    folder = install(site, "broken", "broken_model")
    (folder / "pointree.json").unlink()
    install(site, "gone", "gone_model")
    (site / "gone_model-2.0.dist-info" / "entry_points.txt").write_text(
        "[pointree.models]\ngone = no_such.package\nodd = .x\n"
    )
    assert list(available_models()) == []


def test_a_folder_of_the_same_name_that_is_no_model_hides_none(tmp_path: Path) -> None:
    Path("en").mkdir()
    bundled = make_model(tmp_path / "bundled" / "en")
    assert resolve_model("en") == bundled
    # A path is a path; loading it says what it lacks.
    assert [resolve_model(path) for path in ("./en", ".", "..")] == [Path("en"), Path(), Path("..")]
    Path("de").mkdir()
    with pytest.raises(ModelError, match=r"^de: not a model folder, pointree\.json is missing, and no model has"):
        resolve_model("de")


def test_a_path_object_is_always_a_folder(tmp_path: Path) -> None:
    make_model(tmp_path / "bundled" / "en")
    for path in (Path("en"), Path("org/name")):
        with pytest.raises(ModelError, match=f"^{path}: no such model folder$"):
            resolve_model(path)


@pytest.mark.parametrize(
    "text",
    ["../en", "/en", "en/", "a/b/c", "../../etc", "~x", "-a/b", "a/..", "a--b/c", "a/b.", "a/b@../c", "a/b\0"],
)
def test_paths_never_reach_names_or_the_hub(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(*args: object) -> None:
        raise AssertionError(f"asked for {args}")

    monkeypatch.setattr(models, "_download", download)
    make_model(tmp_path / "bundled" / "en")
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path / "bundled"))
    with pytest.raises(ModelError, match=r": no such model folder$"):
        resolve_model(text)


@pytest.mark.parametrize("text", ["x" * 5000, "en@1", "e n", "\0", "C:\\en"])
def test_odd_names_are_one_clear_line(text: str) -> None:
    with pytest.raises(ModelError, match="is unknown"):
        resolve_model(text)


def test_an_unknown_name_lists_what_there_is(tmp_path: Path, site: Path) -> None:
    with pytest.raises(ModelError, match=r"^model ne is unknown; available: none; ") as caught:
        resolve_model("ne")
    for way in ("pointree train", "Hugging Face Hub id such as org/name", "pip install", "$POINTREE_MODELS"):
        assert way in str(caught.value)
    make_model(tmp_path / "bundled" / "en")
    install(site, "legal", "pointree_model_legal")
    with pytest.raises(ModelError, match=r"^model ne is unknown; available: en, legal; "):
        resolve_model("ne")
    with pytest.raises(ModelError, match="found an empty string"):
        resolve_model("")


def test_folders_in_the_variable_that_are_not_there_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POINTREE_MODELS", f"/nowhere{os.pathsep}{__file__}")
    assert list(available_models()) == []


def test_load_takes_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_parser().save(tmp_path / "team" / "tiny")
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path / "team"))
    parser = pointree.load("tiny", precision="fp32")
    assert parser.name == "tiny"
    assert len(parser.parse([["ta", "tok"]])[0]) == 2
    with pytest.raises(ModelError, match="model tinny is unknown"):
        pointree.load("tinny")


def test_finding_models_needs_no_torch() -> None:
    code = (
        "import sys, pointree.models.registry as m\n"
        "list(m.available_models())\nprint({'torch', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


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
