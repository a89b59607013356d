"""The files of the page: under a strict policy, complete in themselves, and with no way to make markup of text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")

import pointree.serving.page as page

FOLDER = Path(page.__file__).parent
STATIC = sorted(path for path in FOLDER.iterdir() if path.suffix in {".html", ".css", ".js", ".svg"})

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PATHS = {"/" if path.name == "index.html" else f"/page/{path.name}": TYPES[path.suffix] for path in STATIC}


@pytest.mark.parametrize(("path", "media_type"), PATHS.items())
def test_every_file_is_served_with_the_policy(served: Any, path: str, media_type: str) -> None:
    reply = served.client.get(path)
    assert reply.status_code == 200
    assert reply.headers["content-type"] == media_type
    assert reply.headers["x-content-type-options"] == "nosniff"
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ")
    assert "unsafe" not in policy
    assert "*" not in policy


def test_every_script_that_is_imported_is_there() -> None:
    scripts = {path.name: path.read_text(encoding="utf-8") for path in STATIC if path.suffix == ".js"}
    imported = {name for script in scripts.values() for name in re.findall(r'from "\./([\w.]+)"', script)}
    assert imported | {"page.js"} == set(scripts)


def test_every_element_that_a_script_asks_for_is_on_the_page() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC if path.suffix == ".js")
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'(?:byId|copyOf)\("([\w-]+)"\)', scripts))
    assert asked
    assert asked <= set(re.findall(r'\bid="([\w-]+)"', html))


@pytest.mark.parametrize("path", ["/page/", "/page/__init__.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py"])
def test_nothing_else_is_served(served: Any, path: str) -> None:
    assert served.client.get(path).status_code == 404


@pytest.mark.parametrize("file", STATIC, ids=lambda file: file.name)
def test_nothing_comes_from_elsewhere(file: Path) -> None:
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.[\w/.-]*", file.read_text(encoding="utf-8")))
    assert addresses <= {"http://www.w3.org/2000/svg"}, addresses


@pytest.mark.parametrize(
    "file", [file for file in STATIC if file.suffix in {".js", ".html"}], ids=lambda file: file.name
)
def test_text_cannot_become_markup(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser"):
        assert danger not in text
    assert not re.search(r"\son\w+=", text), "handlers are added by scripts, not by attributes"
    assert " style=" not in text


def test_the_page_is_open_where_the_data_need_a_key(serve: Callable[..., Any]) -> None:
    with serve(api_key="secret") as running:
        assert {running.client.get(path).status_code for path in PATHS} == {200}
        assert running.client.get("/v1/models").status_code == 401
