"""HTTP connections with time limits that an application cannot set: for the head of a request, and for reading."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from pointree.serving.failures import RequestError, error_body, over_limit
from pointree.serving.limits import Limits
from pointree.serving.middleware import SAFE_HEADERS

__all__ = ["GuardedProtocol", "guarded_protocol"]


class GuardedProtocol(H11Protocol):
    """uvicorn's protocol, which closes connections of clients that neither ask nor read, or that are too many."""

    limits = Limits()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the head of a first request."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            message = f"the service has its maximum of {self.limits.connections} connections; try again later"
            self._refuse(over_limit(self.limits, "connections", message))
        else:
            self._head_timer = self.loop.call_later(self.limits.header_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget all timers."""
        self._head_timer = _stop(self._head_timer)
        self._write_timer = _stop(self._write_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head that has begun, or stop waiting for one that has come."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_timer = _stop(self._head_timer)
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.header_seconds, self._head_is_late)

    def pause_writing(self) -> None:
        """Give the client some time to read what is on its way."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Trust the client again."""
        self._write_timer = _stop(self._write_timer)
        super().resume_writing()

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            message = f"the request headers did not arrive within {self.limits.header_seconds:g} seconds"
            self._refuse(over_limit(self.limits, "header_seconds", message))

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as everything else is answered; between two answers, only close."""
        if self.cycle is None or self.cycle.response_complete:
            self._refuse(RequestError(400, "http", msg))
        else:
            self.transport.close()

    def _refuse(self, failure: RequestError) -> None:
        """Answer outside of any request, and close."""
        body = json.dumps(error_body(failure)).encode()
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **SAFE_HEADERS,
            **failure.headers,
        }
        lines = [f"HTTP/1.1 {failure.status} {HTTPStatus(failure.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self.transport.close()


def _stop(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Stop a timer, and return what takes its place: none."""
    if timer is not None:
        timer.cancel()
    return None


def guarded_protocol(limits: Limits) -> type[GuardedProtocol]:
    """The protocol with these limits; uvicorn wants a class."""
    return type("LimitedProtocol", (GuardedProtocol,), {"limits": limits})
