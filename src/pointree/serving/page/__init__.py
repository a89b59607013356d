"""The page at `/`: a form, a card for each sentence, and a step-through of how the parser came to its tree.

The page is the static files of this folder, without a build step. `/v1/models`, `/v1/parse`, `/v1/trace` and `/v1/draw`
give it its data. What users type is never markup: it travels as JSON, the scripts set it as text, and the policy below
forbids all scripts and styles but the page's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import PurePath

from fastapi import APIRouter
from starlette.responses import Response

from pointree.serving.service import Service
from pointree.serving.trace_api import trace_router

__all__ = ["HEADERS", "page_router"]

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

_MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def page_router(service: Service) -> APIRouter:
    """The page, and the routes that it asks for drawings and traces."""
    router = APIRouter()
    router.include_router(trace_router(service))
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        media_type = _MEDIA_TYPES.get(PurePath(file.name).suffix)
        if media_type is not None:
            path = "/" if file.name == "index.html" else f"/page/{file.name}"
            router.add_api_route(path, _send(file.read_bytes(), media_type), methods=["GET"], include_in_schema=False)
    return router


def _send(content: bytes, media_type: str) -> Callable[[], Awaitable[Response]]:
    """A route to one file of this folder, which was read once."""

    async def send() -> Response:
        return Response(content, headers=HEADERS, media_type=media_type)

    return send
