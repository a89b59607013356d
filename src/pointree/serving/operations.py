"""What those who run a service look at: `/healthz`, `/readyz`, `/metrics` and `/docs`."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from pointree.serving.docs_page import draw_docs
from pointree.serving.schemas import Health, error_replies
from pointree.serving.service import Service
from pointree.version import __version__

__all__ = ["STUCK_SECONDS", "operations_router"]

STUCK_SECONDS = 5.0
"""Time without progress after which the service is not ready; a slice of work takes a fraction of a second."""

_NO_SCRIPTS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"}


def operations_router(service: Service) -> APIRouter:
    """The routes for operators."""
    router = APIRouter(tags=["operations"])

    @router.get("/healthz")
    async def health() -> Health:
        """Tell that requests are answered; restart the service if this is silent."""
        return Health(status="ok", version=__version__, queue=len(service.batcher))

    @router.get("/readyz", responses={503: {"model": Health}})
    async def ready(request: Request, response: Response) -> Health:
        """Tell whether requests can be parsed now; send them elsewhere while they cannot."""
        reason = _obstacle(service, stopping=getattr(request.app.state, "stopping", False))
        response.status_code = 503 if reason else 200
        status: Literal["ok", "failed"] = "failed" if reason else "ok"
        return Health(status=status, version=__version__, queue=len(service.batcher), reason=reason)

    @router.get(
        "/metrics",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **error_replies(401)},
    )
    async def metrics() -> Response:
        """Show counters in the text format of Prometheus."""
        return Response(service.metrics.show(), headers={"Content-Type": service.metrics.content_type})

    @router.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(draw_docs(request.app.openapi()), headers=_NO_SCRIPTS)

    return router


def _obstacle(service: Service, *, stopping: bool) -> str | None:
    """What keeps the service from parsing, if anything does."""
    if stopping:
        return "the service is shutting down"
    if not service.has_models:
        return "the models are still loading"
    if not service.batcher.accepts:
        return "the worker has ended"
    if (silent := service.batcher.silent_seconds) >= STUCK_SECONDS:
        return f"the worker has made no progress for {silent:.0f} seconds"
    return None
