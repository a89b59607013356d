"""`/docs`: everything that the description has, and nothing from elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("httpx", reason="needs httpx")


def test_the_page_needs_nothing_else(served: Any) -> None:
    reply = served.client.get("/docs")
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in reply.text
    assert "http://" not in reply.text
    assert "https://" not in reply.text
    assert re.findall(r'(?:src|href)="([^"]*)"', reply.text) == ["openapi.json"]


def test_every_operation_and_field_is_shown(served: Any) -> None:
    page = served.client.get("/docs").text
    description = served.client.get("/openapi.json").json()
    for path, operations in description["paths"].items():
        for method in operations:
            assert f"<b>{method.upper()} {path}</b>" in page
    for name in description["components"]["schemas"]["ParseRequest"]["properties"]:
        assert f"<code>{name}</code>" in page
    assert "list of list of string or null" in page


def test_what_looks_like_markup_is_text() -> None:
    from pointree.serving.docs_page import draw_docs

    operation = {"description": "<b>&", "responses": {"200": {"description": "<i>"}}}
    page = draw_docs({"info": {"title": "<x>", "version": "1"}, "paths": {"/<y>": {"get": operation}}})
    for markup in ("<x>", "<y>", "<b>&", "<i>"):
        assert markup not in page.replace("<b>GET", "")
