"""The application: all routes over one service, with the checks that every request passes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from pointree.errors import PointreeError
from pointree.serving.bodies import refuse_faults
from pointree.serving.failures import RequestError, from_error
from pointree.serving.middleware import AllowedHosts, ApiKey, BodyLimit, RequestLog, failure_response
from pointree.serving.operations import operations_router
from pointree.serving.page import page_router
from pointree.serving.parse_api import parse_router
from pointree.serving.schemas import ParseRequest
from pointree.serving.service import Service
from pointree.serving.trace_api import DrawRequest
from pointree.serving.udpipe_api import udpipe_router
from pointree.version import __version__

__all__ = ["OPEN_PATHS", "OPEN_PREFIXES", "create_app"]

OPEN_PATHS = ("/", "/healthz", "/readyz", "/docs", "/openapi.json")
"""What needs no key: pages without data, which a browser must be able to load, and the health checks."""

OPEN_PREFIXES = ("/page/",)
"""Where the files of the page are."""


def create_app(
    service: Service, *, api_key: str | None = None, cors: Sequence[str] = (), allowed_hosts: Sequence[str] = ()
) -> FastAPI:
    """The application over a service, whose batcher it starts and stops.

    Pages of other origins may use the service if ``cors`` names them; ``*`` is any. With ``allowed_hosts``, requests
    must be to one of these names.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        service.batcher.start()
        try:
            yield
        finally:
            service.batcher.stop()

    app = FastAPI(
        title="pointree",
        version=__version__,
        description="Parse sentences into dependency trees. Every error is a JSON object and names its limit.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(parse_router(service))
    app.include_router(udpipe_router(service))
    app.include_router(operations_router(service))
    app.include_router(page_router(service))
    app.add_exception_handler(PointreeError, _on_failure)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http_error)
    _describe(app, with_key=api_key is not None)
    # The last one added sees a request first.
    app.add_middleware(BodyLimit, limits=service.limits)
    if api_key is not None:
        app.add_middleware(ApiKey, key=api_key, open_paths=OPEN_PATHS, open_prefixes=OPEN_PREFIXES)
    if cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(cors),
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
            expose_headers=["X-Pointree-Model", "X-Request-ID"],
        )
    if allowed_hosts:
        app.add_middleware(AllowedHosts, hosts=allowed_hosts)
    app.add_middleware(RequestLog, metrics=service.metrics)
    return app


def _describe(app: FastAPI, *, with_key: bool) -> None:
    """Add to the OpenAPI description what FastAPI does not know: bodies that are read by hand, and keys."""
    description = app.openapi()
    components = description.setdefault("components", {})
    for model in (ParseRequest, DrawRequest):
        components.setdefault("schemas", {})[model.__name__] = model.model_json_schema()
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    for path, operations in description["paths"].items():
        if with_key and path not in OPEN_PATHS:
            for operation in operations.values():
                operation["security"] = [{"bearer": []}, {"header": []}]


async def _on_failure(request: Request, error: Exception) -> Response:
    return failure_response(from_error(error), request.scope)


async def _on_invalid(request: Request, error: Exception) -> Response:
    """The first faults of a request on one line; what it contained is not sent back."""
    faults = error.errors() if isinstance(error, RequestValidationError) else ()
    return failure_response(refuse_faults(faults), request.scope)


async def _on_http_error(request: Request, error: Exception) -> Response:
    status, detail, headers = 500, "", None
    if isinstance(error, HTTPException):
        status, detail, headers = error.status_code, str(error.detail), error.headers
    return failure_response(RequestError(status, f"http_{status}", detail, headers=headers), request.scope)
