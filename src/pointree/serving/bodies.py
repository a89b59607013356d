"""JSON bodies of requests: checked in time and memory that their size bounds, large ones in a thread."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from pointree.options import OLD_KEYWORDS
from pointree.serving.failures import RequestError
from pointree.serving.limits import Limits

__all__ = ["json_array", "json_body", "off_the_loop", "read_json", "refuse_faults"]

_Model = TypeVar("_Model", bound=BaseModel)
_T = TypeVar("_T")

_LARGE = 1 << 16
"""Bytes of a body that is read in a thread: the event loop answers others meanwhile."""

_MAX_FAULTS, _MAX_FAULT = 3, 200
"""Faults of a request that its answer tells, and the characters of each."""

_VALUE = re.compile(rb'(?:[^",\[{]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+(?:[,\[{]|\Z)', re.DOTALL)
"""JSON up to the next value, or to its end: what is in strings does not count.

It matches wherever it begins, so that all matches together take linear time.
"""

_THREADS = ThreadPoolExecutor(2, "pointree-bodies")


async def read_json(request: Request, model: type[_Model], limits: Limits) -> _Model:
    """The body of a request as this model; what is wrong with it is a `RequestError`."""
    content_type = request.headers.get("content-type", "")
    if not _is_json(content_type):
        raise RequestError(415, "content_type", f"Content-Type: expected application/json, found {content_type[:80]!r}")
    body = await request.body()
    return await off_the_loop(len(body), _parse, body, model, limits)


async def off_the_loop(size: int, function: Callable[..., _T], *arguments: Any) -> _T:
    """What a function makes of so many bytes of a body: in a thread, if they are many."""
    if size < _LARGE:
        return function(*arguments)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, function, *arguments)


def json_array(texts: Sequence[str]) -> str:
    """JSON values as an array, one a line."""
    return "[\n" + ",\n".join(texts) + "\n]\n" if texts else "[]\n"


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """What the OpenAPI description says of a body of this model, which `create_app` describes."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _is_json(content_type: str) -> bool:
    kind = content_type[:200].partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _parse(body: bytes, model: type[_Model], limits: Limits) -> _Model:
    _check_size(body, limits)
    try:
        value = json.loads(body.decode("utf-8-sig"))  # json would also take UTF-16, in which `_check_size` cannot count
    except UnicodeDecodeError:
        raise RequestError(400, "encoding", "body: expected UTF-8, found other bytes") from None
    except RecursionError:
        raise RequestError(400, "json", "body: the JSON is nested too deeply") from None
    except ValueError as error:
        raise RequestError(400, "json", f"body: this is not JSON: {error}"[:_MAX_FAULT]) from None
    if not isinstance(value, dict):
        raise RequestError(422, "invalid", f"body: expected a JSON object, found {_kind(value)}")
    for key in value:
        if key not in model.model_fields and key not in OLD_KEYWORDS:
            known = ", ".join(model.model_fields)
            raise RequestError(422, "invalid", f"body.{key[:40]}: this field is unknown; known are {known}")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise refuse_faults(error.errors(include_url=False, include_context=False, include_input=False)) from None


def _check_size(body: bytes, limits: Limits) -> None:
    """Refuse JSON of too many values before they are built: an empty list is 2 bytes here and 64 in memory."""
    most = 2 * limits.words + 100
    if sum(map(body.count, (b",", b"[", b"{"))) > most and has_more_values(body, most):
        message = f"body: expected at most {most} values of JSON, found more"
        raise RequestError(413, "json_values", message, limit=("json_values", most))


def has_more_values(body: bytes, most: int) -> bool:
    """Whether JSON has more values than this, strings being one each."""
    last = next(islice(_VALUE.finditer(body), most, None), None)
    return last is not None and last[0][-1:] in (b",", b"[", b"{")


def refuse_faults(faults: Any) -> RequestError:
    """The failure of a request with these faults of pydantic: the first few, each on a line of its own width."""
    lines = [f"{'.'.join(map(str, ('body', *fault['loc'])))}: {fault['msg']}" for fault in faults[:_MAX_FAULTS]]
    more = [f"and {len(faults) - _MAX_FAULTS} more"] if len(faults) > _MAX_FAULTS else []
    return RequestError(422, "invalid", "; ".join([*(line[:_MAX_FAULT] for line in lines), *more]))


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    return {str: "a string", type(None): "null"}.get(type(value), "a number, true or false")
