"""What every request passes on its way in: an id and a line in the log, the key, and the limits of its body.

All are plain ASGI, so that bodies are refused while they are read and answers stream through untouched.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointree.errors import PointreeError
from pointree.serving.failures import RequestError, error_body, from_error, over_limit
from pointree.serving.limits import Limits
from pointree.serving.metrics import Metrics

__all__ = ["SAFE_HEADERS", "AllowedHosts", "ApiKey", "BodyLimit", "RequestLog", "failure_response"]

logger = logging.getLogger("pointree.serving")

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 8 << 20
_LOGGED_METHOD, _LOGGED_PATH = 20, 200
_CLIENT_GONE = 499

SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What every answer has unless it says otherwise: nothing of it is to be run, framed or guessed at by a browser."""


def failure_response(failure: RequestError, scope: Scope) -> Response:
    """The answer to a request that failed."""
    body = json.dumps(error_body(failure, scope.get("request_id")), ensure_ascii=False)
    return Response(body, failure.status, failure.headers, "application/json")


class RequestLog:
    """Gives each request an id, logs and counts it when it is done, and answers for faults of the service.

    HEAD is answered like GET, without the body.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = scope["request_id"] = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        started = time.monotonic()
        status = 0

        is_head = scope["method"] == "HEAD"
        inner = {**scope, "method": "GET"} if is_head else scope

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app(inner, receive, send_with_id)
        except (ConnectionAbortedError, asyncio.CancelledError) as error:
            status = _CLIENT_GONE
            if isinstance(error, asyncio.CancelledError):
                raise
        except Exception as error:
            if isinstance(error, PointreeError):
                logger.warning("%s broke off: %s", request_id, error)
            else:
                logger.exception("%s failed", request_id)
            # Once an answer has begun, it stays incomplete: the server cuts the connection, and the client sees it.
            if not status:
                await failure_response(from_error(error), scope)(scope, receive, send_with_id)
        finally:
            seconds = time.monotonic() - started
            route = getattr(inner.get("route"), "path", "other")
            self._metrics.count_request(route, status, seconds)
            # The raw path is ASCII without control characters; what users wrote, in the query, is not logged.
            path = scope.get("raw_path", b"").decode("ascii", "replace")[:_LOGGED_PATH]
            client = (scope.get("client") or ("-",))[0]
            method = scope["method"][:_LOGGED_METHOD]
            logger.info("%s %s %s %s %d %.1f ms", request_id, client, method, path, status, 1000 * seconds)


class AllowedHosts:
    """Refuses requests to other names than those of the service, as pages make them that rebind a name of their own."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("host", "").lower()
        name = given if given.endswith("]") else given.rpartition(":")[0] or given
        if {given, name} & self._hosts:
            await self._app(scope, receive, send)
            return
        failure = RequestError(400, "host", f"Host: expected a name of this service, found {given[:80]!r}")
        await _refuse(failure, scope, receive, send)


class ApiKey:
    """Asks for the key of the service in `Authorization: Bearer …` or `X-API-Key`, except for some open paths."""

    def __init__(self, app: ASGIApp, key: str, open_paths: Iterable[str], open_prefixes: tuple[str, ...] = ()) -> None:
        self._app = app
        self._key = key.encode()
        self._open_paths = frozenset(open_paths)
        self._open_prefixes = open_prefixes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request pass, or refuse it."""
        if scope["type"] != "http" or self._is_open(scope["path"]) or self._has_key(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        failure = RequestError(
            401,
            "unauthorized",
            "expected the key of this service in the header Authorization: Bearer or X-API-Key",
            headers={"WWW-Authenticate": "Bearer"},
        )
        await _refuse(failure, scope, receive, send)

    def _is_open(self, path: str) -> bool:
        return path in self._open_paths or path.startswith(self._open_prefixes)

    def _has_key(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        return hmac.compare_digest(given.encode(), self._key)


class BodyLimit:
    """Reads the body of a request, no more of it than allowed and no longer, before the application sees it."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body of one request and pass it on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except RequestError as failure:
            await _refuse(failure, scope, receive, send)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, replay, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and "content-length" in headers:
            raise RequestError(400, "framing", "expected Content-Length or Transfer-Encoding, found both")
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > self._limits.body_bytes:
            raise self._too_large(f"{announced[:20]} bytes announced")
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ConnectionAbortedError("the client closed its connection before the answer was complete")
                    body += message.get("body", b"")
                    if len(body) > self._limits.body_bytes:
                        raise self._too_large("more")
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            late = f"the request body did not arrive within {self._limits.body_seconds:g} seconds"
            raise over_limit(self._limits, "body_seconds", f"{late} ({len(body)} bytes did)") from None

    def _too_large(self, found: str) -> RequestError:
        message = f"body: expected at most {self._limits.body_bytes} bytes, found {found}"
        return over_limit(self._limits, "body_bytes", message)


async def _refuse(failure: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer before the body is read, and drop some of it before the connection is closed.

    A close while data come in resets the connection, and the client might never see why. The answer is complete for the
    client before its last, empty message, which closes the connection.
    """
    failure.headers["Connection"] = "close"
    response = failure_response(failure, scope)
    await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    dropped = 0
    try:
        async with asyncio.timeout(_LINGER_SECONDS):
            while dropped < _LINGER_BYTES:
                message = await receive()
                dropped += len(message.get("body", b""))
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})
