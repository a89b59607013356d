"""HTML forms as clients send them: in the query, URL-encoded in the body, or as `multipart/form-data`."""

from __future__ import annotations

from urllib.parse import parse_qsl

from python_multipart.multipart import parse_options_header

from pointree.serving.failures import RequestError

__all__ = ["read_fields"]

_MAX_FIELDS = 100
_MAX_HEADER = 1_000
"""Characters of a Content-Type or Content-Disposition header: what they name is short."""

_MAX_HEAD = 4_096
"""Bytes of all headers of a part."""


def read_fields(query: bytes, content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a request by name, those of the body over those of the query; the last of a name counts."""
    fields = _urlencoded(query, "query")
    if not body:
        return fields
    kind, options = parse_options_header(content_type[:_MAX_HEADER].encode("latin-1", "replace"))
    if kind.strip() == b"application/x-www-form-urlencoded":
        return fields | _urlencoded(body, "body")
    boundary = options.get(b"boundary")
    if kind.strip() == b"multipart/form-data" and boundary and len(content_type) <= _MAX_HEADER:
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


def _multipart(body: bytes, boundary: bytes) -> dict[str, str]:
    """The parts of a body that is in memory already; files count as text."""
    fields: dict[str, str] = {}
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary, _MAX_FIELDS + 1)[1:]
    for part in parts:
        if part.startswith(b"--"):
            return fields
        end = part.find(b"\r\n\r\n", 0, _MAX_HEAD)
        name = _part_name(part[:end]) if end >= 0 else None
        if name is None:
            found = "another" if end >= 0 else f"one whose headers do not end within {_MAX_HEAD} bytes"
            raise RequestError(400, "multipart", f"body: expected parts with a name, found {found}")
        try:
            fields[name] = part[end + 4 :].decode("utf-8")
        except UnicodeDecodeError:
            raise RequestError(400, "encoding", f"{name[:40]}: expected UTF-8, found other bytes") from None
    raise RequestError(400, "multipart", f"body: expected at most {_MAX_FIELDS} parts and an end, found none")


def _part_name(head: bytes) -> str | None:
    """The name in the headers of a part, if there is one."""
    for line in head.split(b"\r\n"):
        header, colon, value = line.partition(b":")
        if colon and header.strip().lower() == b"content-disposition":
            name = parse_options_header(value[:_MAX_HEADER])[1].get(b"name")
            return None if name is None else name.decode("utf-8", "replace")
    return None
