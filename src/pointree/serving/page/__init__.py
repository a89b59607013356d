"""The page at `/`: a form, a card for each sentence, and a step-through of how the parser came to its tree.

The page is static files in this folder, without a build step; `/v1/models`, `/v1/draw` and `/v1/trace` give it its
data. What users type is never markup: it travels as JSON, the page sets it as text and shows trees as images, and the
policy below forbids all scripts and styles but the page's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from pointree.serving.service import Service
from pointree.serving.trace_api import trace_router

__all__ = ["HEADERS", "page_router"]

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

_FILES = {
    "/": ("index.html", "text/html"),
    "/page/page.css": ("page.css", "text/css"),
    "/page/page.js": ("page.js", "text/javascript"),
    "/page/steps.js": ("steps.js", "text/javascript"),
    "/page/icon.svg": ("icon.svg", "image/svg+xml"),
}


def page_router(service: Service) -> APIRouter:
    """The page, and the routes that it asks for drawings and traces."""
    router = APIRouter()
    router.include_router(trace_router(service))
    for path, (name, media_type) in _FILES.items():
        router.add_api_route(path, _file(name, media_type), methods=["GET"], include_in_schema=False)
    return router


def _file(name: str, media_type: str) -> Callable[[], Awaitable[Response]]:
    """A route to one file of this folder, which is read once."""
    content = files(__name__).joinpath(name).read_bytes()

    async def send() -> Response:
        return Response(content, headers=HEADERS, media_type=media_type)

    return send
