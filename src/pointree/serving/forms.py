"""HTML forms as clients send them: in the query, URL-encoded in the body, or as `multipart/form-data`."""

from __future__ import annotations

from email.message import Message
from email.parser import HeaderParser
from urllib.parse import parse_qsl

from pointree.serving.failures import RequestError

__all__ = ["read_fields"]

_MAX_FIELDS = 100


def read_fields(query: bytes, content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a request by name, those of the body over those of the query; the last of a name counts."""
    fields = _urlencoded(query, "query")
    if not body:
        return fields
    header = Message()
    header["Content-Type"] = content_type
    kind = header.get_content_type()
    if kind == "application/x-www-form-urlencoded":
        return fields | _urlencoded(body, "body")
    boundary = header.get_param("boundary")
    if kind == "multipart/form-data" and isinstance(boundary, str) and boundary:
        return fields | _multipart(body, boundary)
    expected = "application/x-www-form-urlencoded, or multipart/form-data with a boundary"
    raise RequestError(415, "content_type", f"Content-Type: expected {expected}, found {content_type[:80]!r}")


def _urlencoded(data: bytes, place: str) -> dict[str, str]:
    try:
        text = data.decode("utf-8")
        return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS))
    except UnicodeDecodeError:
        raise RequestError(400, "encoding", f"{place}: expected UTF-8, found other bytes") from None
    except ValueError:
        raise RequestError(400, "fields", f"{place}: expected at most {_MAX_FIELDS} fields, found more") from None


def _multipart(body: bytes, boundary: str) -> dict[str, str]:
    """The parts of a body that is in memory already; files count as text."""
    fields: dict[str, str] = {}
    delimiter = b"\r\n--" + boundary.encode("utf-8", "surrogateescape")
    parts = (b"\r\n" + body).split(delimiter, _MAX_FIELDS + 1)[1:]
    for part in parts:
        if part.startswith(b"--"):
            return fields
        head, blank, content = part.partition(b"\r\n\r\n")
        parsed = HeaderParser().parsestr(head.decode("utf-8", "replace").lstrip("\r\n"))
        name = parsed.get_param("name", header="Content-Disposition")
        if not blank or not isinstance(name, str):
            raise RequestError(400, "multipart", "body: expected parts with a name, found another")
        try:
            fields[name] = content.decode("utf-8")
        except UnicodeDecodeError:
            raise RequestError(400, "encoding", f"{name[:40]}: expected UTF-8, found other bytes") from None
    raise RequestError(400, "multipart", f"body: expected at most {_MAX_FIELDS} parts and an end, found none")
