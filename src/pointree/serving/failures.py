"""Why a request is refused or fails: a status, a code for programs, a sentence for people, the limit if it is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointree.errors import PointreeError
from pointree.serving.limits import Limits

__all__ = ["RETRY_AFTER", "RequestError", "check_beam", "error_body", "from_error", "over_limit"]

RETRY_AFTER = {"Retry-After": "1"}
"""What an overloaded service says: a queue is a matter of seconds, and the next attempt costs next to nothing."""

_MAX_MESSAGE = 1_000
"""Characters of a message."""

_STATUS = {
    "body_bytes": 413,
    "words": 413,
    "sentence_words": 413,
    "word_characters": 413,
    "answer_characters": 413,
    "beam": 422,
    "queue": 503,
    "connections": 503,
    "seconds": 504,
    "header_seconds": 408,
    "body_seconds": 408,
}


class RequestError(PointreeError):
    """A request that cannot be answered as it was asked."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        limit: tuple[str, float] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        # A request may hold a lone surrogate, which no answer can, and numbers of thousands of digits.
        self.message = " ".join(message.split()).encode("utf-8", "backslashreplace").decode()[:_MAX_MESSAGE]
        self.limit = limit
        self.headers = dict(headers or {})
        super().__init__(self.message)


def over_limit(limits: Limits, name: str, message: str) -> RequestError:
    """The failure of a request that is beyond the limit with this name."""
    headers = RETRY_AFTER if _STATUS[name] == 503 else {}
    return RequestError(_STATUS[name], name, message, limit=(name, getattr(limits, name)), headers=headers)


def check_beam(limits: Limits, **widths: int) -> None:
    """Refuse a search that is wider than the limit; the widths have the names of the request's fields."""
    for name, value in widths.items():
        if value > limits.beam:
            raise over_limit(limits, "beam", f"{name}: expected at most {limits.beam}, found {value}")


def from_error(error: Exception) -> RequestError:
    """What a client is told of an error: all of those that pointree raises on purpose, nothing of others."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, PointreeError):
        return RequestError(422, "invalid", str(error))
    return RequestError(500, "internal", "the service could not answer this request; the error has been logged")


def error_body(failure: RequestError, request_id: str | None = None) -> dict[str, Any]:
    """The JSON answer to a request that failed."""
    limit = None if failure.limit is None else {"name": failure.limit[0], "value": failure.limit[1]}
    return {
        "error": {"code": failure.code, "message": failure.message, "limit": limit, "request_id": request_id},
    }
